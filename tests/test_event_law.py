"""A robot that is in no list, from its folder alone: a closed chain, a joint driven by effort, a start in the air.

Its law restarts the flywheel's reference at each touch-down of the leg's foot.
"""

import itertools
import math
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crawler_interfaces.msg import ContactState, ControllerState
from stack_helpers import DEADLINE_S, engine_parameters, lockstep_settings, wait_until_held
from std_srvs.srv import SetBool, Trigger
from transcript import Transcript, assert_equal_to_the_bit, lockstep_run

from crawler_bringup.stack.options import Options
from crawler_core.robot.robot_file import load_robot
from crawler_nodes.messages.header import stamp_ns
from crawler_testing.fixtures.running_stack import RunningStack

ROBOT = Path(__file__).parents[1] / "src/crawler_core/test/robots/gymnast/robot.yaml"
CRANK, COUPLER, ROCKER, FLYWHEEL = range(4)  # in joint_states
SECONDS = 3.0
RATE = 200.0


def running_stack(transcript: Transcript, engine: str, settings: dict[str, Any]) -> RunningStack:
    return RunningStack(Options(robot=str(ROBOT), backend=engine, settings=settings), transcript.topics())


def record_run(engine: str) -> tuple[Transcript, RunningStack]:
    return lockstep_run(Options(robot=str(ROBOT), backend=engine), SECONDS, rate=RATE)


@pytest.fixture(scope="module", params=engine_parameters())
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def run(engine) -> Transcript:
    return record_run(engine)[0]


def touch_downs(transcript: Transcript) -> list[int]:
    """The states, by number, in which the leg's foot is first seen on the ground again."""
    modes = [message.contacts[0].mode for message in transcript.messages("contact_states")]
    pairs = itertools.pairwise(modes)
    return [i for i, (a, b) in enumerate(pairs, 1) if a == ContactState.OPEN and b != ContactState.OPEN]


def test_it_falls_on_its_feet_and_turns_its_crank_with_every_joint_known(run):
    spec = load_robot(str(ROBOT))
    assert run.messages("joint_states")[0].name == list(spec.joint_names)
    assert np.isfinite(run.joints()).all()
    assert len(touch_downs(run)) >= 2
    # at the end the crank turns at the gait's pace, and the four-bar swings the leg to and fro in each turn
    assert run.speeds()[-100:, CRANK] == pytest.approx(6.0, rel=0.02)
    assert np.ptp(run.joints()[-round(RATE * 2 * math.pi / 6.0) :, ROCKER]) > math.radians(30)
    height = [message.pose.pose.position.z for message in run.messages("ground_truth/odom")]
    assert height[0] > height[-1] > 0.05


def test_passive_joints_move_in_tf_too(run):
    rotations: dict[str, list[list[float]]] = {}
    for message in run.messages("/tf"):
        for entry in message.transforms:
            q = entry.transform.rotation
            rotations.setdefault(entry.child_frame_id, []).append([q.w, q.x, q.y, q.z])
    for link in ("crank_link", "coupler_link", "rocker_link", "flywheel_link"):
        assert np.isfinite(rotations[link]).all()
        assert np.ptp(rotations[link], axis=0).max() > 0.05, link


def test_commands_carry_the_flywheels_effort_within_its_limit_and_none_for_the_crank(run):
    commands = run.messages("joint_commands")
    efforts = np.array([message.effort for message in commands])
    assert commands[0].name == ["crank", "flywheel"]
    assert np.isnan(efforts[:, 0]).all()
    assert np.isfinite(efforts[:, 1]).all()
    assert 0.0 < np.abs(efforts[:, 1]).max() <= 0.05


def test_the_flywheels_reference_restarts_in_the_tick_of_the_touch_down(run):
    states = {stamp_ns(message.header.stamp): message for message in run.messages("joint_states")}
    contacts = run.messages("contact_states")
    commands = {stamp_ns(message.header.stamp): message for message in run.messages("joint_commands")}
    stamps = [stamp_ns(contacts[i].header.stamp) for i in touch_downs(run)]
    answered = [stamp for stamp in stamps if stamp != max(states)]  # the last state ends the run
    assert answered
    for stamp in answered:
        # what it is led to from there is a tick at the reference's pace ahead of where it is
        ahead = commands[stamp].position[1] - states[stamp].position[FLYWHEEL]
        assert 0.0 <= ahead <= 6.0 / RATE * (1 + 1e-9)


def test_two_runs_with_a_law_that_reacts_to_events_are_equal_to_the_bit(engine, run):
    other, stack = record_run(engine)
    assert_equal_to_the_bit(run, other, stack, SECONDS)


@pytest.mark.exhaustive  # the running leg, which is driven by effort alone, does so in every run
def test_without_the_gait_node_it_comes_to_rest_flywheel_and_all(engine):
    transcript = Transcript()
    with running_stack(transcript, engine, lockstep_settings(1.0, reference_timeout=1.0, rate=RATE)) as stack:
        stack.wait_until(lambda: len(transcript.raw["joint_states"]) > 400, DEADLINE_S)
        assert abs(transcript.speeds(1)[0, FLYWHEEL]) > 1.0
        stack.expected_to_end.add("gait")
        child = stack.processes.children["gait"]
        child.send_signal(signal.SIGKILL)
        child.wait()
        # the brake takes 1e-4 N·m·s/rad of 4e-5 kg m²: e-fold in 0.4 s
        stack.wait_until(lambda: np.abs(transcript.speeds(40)[:, [CRANK, FLYWHEEL]]).max() < 0.05, DEADLINE_S)
        assert np.abs(transcript.speeds(40)[:, [CRANK, FLYWHEEL]]).max() < 0.05
        assert math.isnan(transcript.messages("joint_commands", 1)[0].effort[1])
        assert transcript.messages("controller_state", 1)[0].status == ControllerState.STOPPED
        assert stack.log.status.backend["motion"] == "active"


@pytest.mark.exhaustive  # the running leg's is in every run
def test_the_emergency_stop_takes_the_effort_off_and_it_goes_on_after_reset_and_enable(engine):
    transcript = Transcript()
    with running_stack(transcript, engine, lockstep_settings(4.0, rate=RATE)) as stack:
        wait_until_held(stack, lambda: len(transcript.raw["joint_states"]) > 100 and transcript.efforts(1)[0, FLYWHEEL])
        assert stack.call(Trigger, "backend/estop", Trigger.Request()).success
        stack.wait_until(lambda: stack.log.status.backend.get("motion") == "e-stopped", DEADLINE_S)
        # states of before the stop may still be on their way when the diagnostics have come
        stack.wait_until(lambda: not transcript.efforts(20)[:, FLYWHEEL].any(), DEADLINE_S)
        since = len(transcript.raw["joint_states"])
        stack.wait_until(lambda: len(transcript.raw["joint_states"]) > since + 20, DEADLINE_S)
        assert not transcript.efforts(20)[:, FLYWHEEL].any()
        assert not stack.call(SetBool, "backend/enable", SetBool.Request(data=True)).success
        assert stack.call(Trigger, "backend/reset", Trigger.Request()).success
        assert stack.call(SetBool, "backend/enable", SetBool.Request(data=True)).success

        def goes_on():
            speeds = transcript.speeds(100)[:, CRANK]
            return np.abs(speeds - 6.0).max() < 0.05 * 6.0 and stack.log.status.backend["motion"] == "active"

        stack.wait_until(goes_on, DEADLINE_S)
        assert goes_on()
