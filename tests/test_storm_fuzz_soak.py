"""Fault injection, fuzzing and soak runs on running stacks, through their commands."""

import json
import re

import pytest

from crawler_nodes.backend_node.stamp_window import StampWindow
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.fuzz.campaign import fuzz
from crawler_testing.fuzz.in_process_stack import MESSAGE_TYPES, FuzzSetup
from crawler_testing.fuzz.target import Target, find_targets

TIMEOUT_SCALE = "30"  # for a busy machine
# some of each family whose outcome does not depend on the speed of the machine, if simulated time waits for it
LOCKSTEP_KINDS = ("parameters/gait_not_numbers", "services/enable_twice")


def storm(call, *words):
    code, out, err = call("storm", "--json", "--timeout-scale", TIMEOUT_SCALE, *words)
    return code, json.loads(out), err


def test_faults_that_end_as_expected_share_a_run(long_timeouts, call):
    only = ",".join(LOCKSTEP_KINDS)
    code, found, err = storm(call, "--backend", "model", "--lockstep", "--only", only, "--seed", "5")
    assert [verdict["problems"] for verdict in found["verdicts"] if not verdict["ok"]] == []
    assert code == 0
    assert {verdict["kind"] for verdict in found["verdicts"]} == set(LOCKSTEP_KINDS)
    assert found["as_expected"] == found["injected"] == len(LOCKSTEP_KINDS)
    assert all(0.0 < verdict["speed"] < 1.0 for verdict in found["verdicts"])  # motion was observed
    assert err.count("run 1 of 1") == 1


@pytest.mark.exhaustive  # test_orphaned_run.py shows it without a campaign
def test_killing_the_first_process_ends_all_others(long_timeouts, call):
    code, found, _ = storm(call, "--backend", "mock", "--only", "processes/cli_kill")
    (verdict,) = found["verdicts"]
    assert verdict["code"] == -9
    assert not any("still running" in problem for problem in verdict["problems"])
    assert code == int(not verdict["ok"])


def topic_target(node, topic, **setup):
    return Target(node, "topic", topic, MESSAGE_TYPES[topic], FuzzSetup(**setup))


TARGETS = (
    topic_target("backend", "joint_commands"),
    topic_target("controller", "sensor_readings", robot="bolt", law_parameters=(("contact", "switch"),)),
)


@pytest.mark.parametrize("target", TARGETS, ids=str)  # all endpoints: the last but one test
def test_invalid_messages_end_no_node_and_exceed_no_limit(target):
    outcome = fuzz(target, 200, 0, free_domain_id())
    assert outcome.problems == []
    assert 200 <= outcome.sent < 205  # some are sent a few at once
    assert outcome.crawled_after is not None
    assert outcome.crawled_after <= 1.0


def fuzz_and_report(count):
    """Return the outcome, and its problems without the ids that differ between processes."""
    outcome = fuzz(TARGETS[0], count, 0, free_domain_id())
    return outcome, [re.sub("#[0-9a-f]{8}", "", problem) for problem in outcome.problems]


def test_a_problem_is_reported_with_its_message_and_is_reproducible(monkeypatch):
    def raise_between_ticks(window, backend, stamp):
        if stamp % 1_000_000:  # ns; no tick begins there
            raise ZeroDivisionError("the stamp of no tick")
        check(window, backend, stamp)

    check = StampWindow.check
    monkeypatch.setattr(StampWindow, "check", raise_between_ticks)
    first, problems = fuzz_and_report(200)
    assert problems
    number, text = problems[0].removeprefix("message ").split(":", 1)
    assert "ZeroDivisionError" in text
    assert "nanosec=" in text
    second, problems_again = fuzz_and_report(int(number))
    assert problems_again == problems[:1]
    assert second.sent == int(number) < first.sent


@pytest.mark.exhaustive
def test_every_endpoint_of_every_node_withstands_invalid_messages():
    targets = find_targets(free_domain_id())
    assert {(target.node, target.name) for target in targets if target.endpoint == "topic"} >= {
        ("backend", "joint_commands"),
        ("controller", "contact_states"),
        ("controller", "gait_reference"),
        ("controller", "joint_states"),
        ("controller", "odom"),
        ("gait", "/clock"),
        ("gait", "cmd_vel"),
        ("gait", "joint_states"),
    }
    with_parameters = {target.node for target in targets if target.endpoint == "parameters"}
    assert with_parameters == {"backend", "controller", "gait"}
    outcomes = [fuzz(target, 300, 1, free_domain_id()) for target in targets]
    assert {outcome.target: outcome.problems for outcome in outcomes if outcome.problems} == {}


@pytest.mark.parametrize("minutes", ["0.03", pytest.param("2", marks=pytest.mark.exhaustive)])
def test_a_soak_receives_every_message_and_its_recording_survives_a_power_cut(call, holding_robot, tmp_path, minutes):
    run = ["soak", "--robot", holding_robot, "--backend", "mock", "--minutes", minutes, "--rate", "50"]
    code, out, _ = call(*run, "--out", str(tmp_path / "soak"), "--json")
    found = json.loads(out)
    assert found["missed"] == {"joint_states": 0, "joint_commands": 0}
    assert min(found["received"].values()) > 0
    assert set(found["memory_MB"]) == {"cli", "backend", "gait", "controller", "recorder"}
    assert min(found["memory_MB"].values()) > 5.0
    assert found["not_recorded"] == 0
    assert found["recording_holds"] >= found["recorder_reported"] > 0
    assert (tmp_path / "soak" / "memory.png").is_file()
    assert code == int(bool(found["problems"]))
