"""The witness of a storm sees what passes a limit, and nothing else."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from crawler_core.robot.robot_file import load_robot
from crawler_testing.fixtures.run_monitor import Witness

SPEC = load_robot("three_link")
LIMIT, MOST = SPEC.actuated[0].velocity, SPEC.actuated[0].acceleration
DT = 0.005


def state(tick, angle, dt=DT):
    message = JointState(name=list(SPEC.joint_names), position=[angle] * len(SPEC.joints))
    message.header.stamp.sec, message.header.stamp.nanosec = 3, round(tick * dt * 1e9)
    return serialize_message(message)


def watching(angles, backend="model", dt=DT):
    witness = Witness(SPEC, backend)
    hear = {topic.name: callback for topic, callback in witness.topics()}
    for tick, angle in enumerate(angles):
        hear["joint_states"](state(tick, angle, dt=dt), {})
    return witness, hear


def test_a_crawl_within_the_limits_passes_none():
    times = DT * np.arange(180)
    witness, _ = watching(1.9 + 0.3 * np.sin(8.0 * times))
    assert witness.peak.said == {}
    assert witness.peak.speed == pytest.approx(0.3 * 8.0 / LIMIT, rel=0.01)
    assert witness.peak.acceleration == pytest.approx(0.3 * 64.0 / MOST, rel=0.02)
    assert witness.stirred(0.0, own_time=True) == pytest.approx(0.6, rel=0.01)


def test_a_jump_of_one_tick_is_a_speed_and_an_acceleration():
    witness, _ = watching([1.9, 1.9, 1.9, 1.9 + 1.5 * LIMIT * DT, 1.9 + 1.5 * LIMIT * DT])
    assert witness.peak.speed == pytest.approx(1.5, rel=0.01)
    assert witness.peak.acceleration == pytest.approx(1.5 * LIMIT / DT / MOST, rel=0.01)
    assert "joint_1 had 18" in witness.peak.said["speed"]


def test_a_joint_that_stops_dead_brakes_and_does_not_speed_up():
    witness, _ = watching([1.5 + 0.0001 * k * k for k in range(100)] + [2.4801] * 5)
    assert witness.peak.acceleration == pytest.approx(0.0002 / DT**2 / MOST, rel=0.01)
    assert witness.peak.braking == pytest.approx(0.0197 / DT**2 / MOST, rel=0.01)
    assert set(witness.peak.said) == {"braking"}


def test_what_an_encoder_rounds_is_no_acceleration():
    step, fast = np.radians(360.0 / 4096), 0.001  # s
    angles = np.round((1.9 + 0.05 * fast * np.arange(400)) / step) * step  # one count now and then
    assert watching(angles, "emulated", fast)[0].peak.said == {}
    assert watching(angles, "model", fast)[0].peak.said != {}


@pytest.mark.parametrize("backend", ["mock", "model"])
def test_an_uneven_tick_of_a_joint_in_real_time_is_no_acceleration_but_a_snap_after_it_is(backend):
    def seen(*ticks):  # (when in ticks, where in ticks of even motion)
        witness, hear = watching([], backend)
        witness.counters["rate"] = f"{1.0 / DT:g}"
        for when, where in ticks:
            hear["joint_states"](state(when, 1.9 + 0.8 * LIMIT * DT * where), {})
        return set(witness.peak.said)

    late = seen((0, 0.0), (1, 1.0), (2.4, 2.0), (3.4, 3.0), (4.2, 3.8), (5.2, 5.0))
    assert late == (set() if backend == "mock" else {"acceleration", "braking"})
    assert "acceleration" in seen((0, 0.0), (1, 1.0), (5, 2.0), (6, 5.0))


def test_states_that_the_storm_has_forged_are_not_judged():
    witness, hear = watching([1.9, 1.9])
    forged = state(2, 40.0)
    witness.forged.add(forged)
    hear["joint_states"](forged, {})
    assert len(witness.states) == 2
    assert witness.peak.said == {}


def test_how_a_joint_without_torque_falls_is_not_judged():
    witness, hear = watching([1.9, 1.9])

    def motion(word):
        hear["motion_state"](serialize_message(DiagnosticStatus(name="backend", message=word)), {})

    motion("e-stopped")
    for tick, angle in enumerate((2.5, 2.9, 2.9), 2):
        hear["joint_states"](state(tick, angle), {})
    assert witness.peak.said == {}
    motion("active")
    for tick, angle in enumerate((2.9, 2.9, 2.0), 5):
        hear["joint_states"](state(tick, angle), {})
    assert set(witness.peak.said) == {"speed", "acceleration"}


def test_a_clock_that_goes_back_is_counted():
    witness, hear = watching([1.9] * 5)
    hear["joint_states"](state(1, 1.9), {})
    assert witness.went_back == 1


def test_only_warnings_and_errors_of_after_the_fault_are_words_about_it():
    witness, hear = watching([1.9])

    def say(level, text):
        values = [KeyValue(key="motion", value="faulted")]
        status = DiagnosticStatus(name="robot/backend", level=bytes([level]), message=text, values=values)
        hear["diagnostics"](serialize_message(DiagnosticArray(status=[status])), {})

    say(0, "joint_2 is well")
    say(2, "Joint_2 does not follow")
    since = witness.words[-1].heard
    assert witness.motion == "faulted"
    assert witness.safe
    assert witness.said(("JOINT_2 does",), since)
    assert not witness.said(("joint_2 is well",), 0.0)
    assert not witness.said(("does not follow",), since + 1.0)


def test_joints_that_may_tremble_rest_all_the_same():
    witness, hear = watching([1.9 + 0.01 * (tick % 2) for tick in range(40)])
    assert not witness.rests()
    assert witness.rests(trembles=0.02)
    assert not witness.safe
    hear["joint_states"](state(41, 2.0), {})
    assert not witness.rests(trembles=0.02)
