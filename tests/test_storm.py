"""Faults on running rings: what `crawler storm`, `crawler fuzz` and `crawler soak` do and see."""

import json
import re

import pytest

from crawler_nodes.backend_node.stamp_window import StampWindow
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.fixtures.topics import TYPES
from crawler_testing.fuzz.campaign import fuzz, targets
from crawler_testing.fuzz.in_process_stack import FuzzSetup
from crawler_testing.fuzz.target import Target

BUSY = "30"  # times every bound of wall time: this machine may have much else to do
# of each family some whose end does not depend on how fast a machine is, when simulated time waits for it
BORNE = (
    "parameters/gait_not_numbers",
    "parameters/gait_outside",
    "parameters/controller_type",
    "parameters/backend_at_bounds",
    "services/reset_without_cause",
    "services/enable_twice",
)


def storm(call, *words):
    code, out, said = call("storm", "--json", "--timeout-scale", BUSY, *words)
    return code, json.loads(out), said


def test_a_storm_that_a_ring_bears_leaves_no_fault_that_ended_otherwise(unhurried, call):
    code, found, said = storm(call, "--backend", "model", "--lockstep", "--only", ",".join(BORNE), "--seed", "5")
    assert [verdict["problems"] for verdict in found["verdicts"] if not verdict["ok"]] == []
    assert code == 0
    assert {verdict["kind"] for verdict in found["verdicts"]} == set(BORNE)
    assert found["as_they_must"] == found["injected"] == len(BORNE)
    assert all(0.0 < verdict["speed"] < 1.0 for verdict in found["verdicts"])  # they were seen to move
    assert said.count("run 1 of 1") == 1  # they shared one


def test_the_death_of_the_first_process_ends_all_others(unhurried, call):
    code, found, _ = storm(call, "--backend", "mock", "--only", "processes/cli_kill")
    (verdict,) = found["verdicts"]
    assert verdict["code"] == -9
    assert not any("left behind" in problem for problem in verdict["problems"])
    assert code == int(not verdict["ok"])


FUZZED = (
    Target("backend", "topic", "joint_commands", TYPES["joint_commands"]),
    Target("controller", "topic", "joint_states", TYPES["joint_states"]),
    Target("controller", "topic", "gait_reference", TYPES["gait_reference"]),
    Target("gait", "topic", "cmd_vel", TYPES["cmd_vel"], FuzzSetup(robot="miniaq", gait="trot")),
    Target("controller", "topic", "odom", TYPES["odom"], FuzzSetup(law="hybrid", choices=(("contacts", "estimated"),))),
)


@pytest.mark.parametrize("target", FUZZED, ids=str)
def test_nonsense_on_a_topic_ends_nobody_and_passes_no_limit(target):
    outcome = fuzz(target, 200, 0, free_domain_id())
    assert outcome.problems == []
    assert 200 <= outcome.sent < 205  # some are sent a few at once
    assert outcome.crawled_after is not None
    assert outcome.crawled_after <= 1.0


def fuzz_and_tell(count):
    """What comes out, and its problems without what tells processes apart."""
    outcome = fuzz(FUZZED[0], count, 0, free_domain_id())
    return outcome, [re.sub("#[0-9a-f]{8}", "", problem) for problem in outcome.problems]


def test_trouble_is_told_with_the_message_that_made_it_and_comes_again(monkeypatch):
    def breaks(questions, backend, stamp):
        if stamp % 1_000_000:  # ns; no tick begins there
            raise ZeroDivisionError("a stamp that is no tick's")
        check(questions, backend, stamp)

    check = StampWindow.check
    monkeypatch.setattr(StampWindow, "check", breaks)
    first, told = fuzz_and_tell(200)
    assert told
    number, said = told[0].removeprefix("message ").split(":", 1)
    assert "ZeroDivisionError" in said
    assert "nanosec=" in said
    again, told_again = fuzz_and_tell(int(number))
    assert told_again == told[:1]
    assert again.sent == int(number) < first.sent


@pytest.mark.exhaustive
def test_every_subscription_and_service_of_every_node_stands_nonsense():
    found = targets(free_domain_id())
    assert {(one.node, one.name) for one in found if one.way == "topic"} >= {
        ("backend", "joint_commands"),
        ("controller", "contact_states"),
        ("controller", "gait_reference"),
        ("controller", "joint_states"),
        ("controller", "odom"),
        ("gait", "/clock"),
        ("gait", "cmd_vel"),
        ("gait", "joint_states"),
    }
    assert {one.node for one in found if one.way == "parameters"} == {"backend", "controller", "gait"}
    outcomes = [fuzz(target, 300, 1, free_domain_id()) for target in found]
    assert {outcome.target: outcome.problems for outcome in outcomes if outcome.problems} == {}


@pytest.mark.parametrize("minutes", ["0.1", pytest.param("2", marks=pytest.mark.exhaustive)])
def test_a_soak_hears_everything_and_its_recording_outlives_a_power_cut(call, patient_robot, tmp_path, minutes):
    words = (
        "--robot",
        patient_robot,
        "--backend",
        "mock",
        "--minutes",
        minutes,
        "--rate",
        "50",
        "--out",
        str(tmp_path / "soak"),
        "--json",
    )
    code, out, _ = call("soak", *words)
    found = json.loads(out)
    assert found["missed"] == {"joint_states": 0, "joint_commands": 0}
    assert min(found["heard"].values()) > 0
    assert set(found["memory_MB"]) == {"cli", "backend", "gait", "controller", "recorder"}
    assert min(found["memory_MB"].values()) > 5.0
    assert found["not_recorded"] == 0
    assert found["recording_holds"] >= found["recorder_said"] > 0  # whatever a second is on a busy machine
    assert (tmp_path / "soak" / "memory.png").is_file()
    assert code == int(bool(found["problems"]))
