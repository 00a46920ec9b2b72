"""The run monitor finds violated limits, and nothing else."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from crawler_core.robot.robot_file import load_robot
from crawler_testing.fixtures.run_monitor import RunMonitor

SPEC = load_robot("three_link")
LIMIT, MOST = SPEC.actuated[0].velocity, SPEC.actuated[0].acceleration
DT = 0.005


def state(tick, angle, dt=DT):
    message = JointState(name=list(SPEC.joint_names), position=[angle] * len(SPEC.joints))
    message.header.stamp.sec, message.header.stamp.nanosec = 3, round(tick * dt * 1e9)
    return serialize_message(message)


def monitor_of(angles, backend="model", dt=DT):
    monitor = RunMonitor(SPEC, backend)
    callbacks = {topic.name: callback for topic, callback in monitor.topics()}
    for tick, angle in enumerate(angles):
        callbacks["joint_states"](state(tick, angle, dt=dt), {})
    return monitor, callbacks


def test_a_crawl_within_the_limits_has_no_violation():
    times = DT * np.arange(180)
    monitor, _ = monitor_of(1.9 + 0.3 * np.sin(8.0 * times))
    assert monitor.peak.violations == {}
    assert monitor.peak.speed == pytest.approx(0.3 * 8.0 / LIMIT, rel=0.01)
    assert monitor.peak.acceleration == pytest.approx(0.3 * 64.0 / MOST, rel=0.02)
    assert monitor.moved_since_stamp(0.0) == pytest.approx(0.6, rel=0.01)


def test_a_jump_of_one_tick_is_a_speed_and_an_acceleration():
    monitor, _ = monitor_of([1.9, 1.9, 1.9, 1.9 + 1.5 * LIMIT * DT, 1.9 + 1.5 * LIMIT * DT])
    assert monitor.peak.speed == pytest.approx(1.5, rel=0.01)
    assert monitor.peak.acceleration == pytest.approx(1.5 * LIMIT / DT / MOST, rel=0.01)
    assert "joint_1 had 18" in monitor.peak.violations["speed"]


def test_a_sudden_stop_is_braking_and_not_acceleration():
    monitor, _ = monitor_of([1.5 + 0.0001 * k * k for k in range(100)] + [2.4801] * 5)
    assert monitor.peak.acceleration == pytest.approx(0.0002 / DT**2 / MOST, rel=0.01)
    assert monitor.peak.braking == pytest.approx(0.0197 / DT**2 / MOST, rel=0.01)
    assert set(monitor.peak.violations) == {"braking"}


def test_the_resolution_of_an_encoder_is_no_acceleration():
    step, fast = np.radians(360.0 / 4096), 0.001  # s
    angles = np.round((1.9 + 0.05 * fast * np.arange(400)) / step) * step  # one count now and then
    assert monitor_of(angles, "emulated", fast)[0].peak.violations == {}
    assert monitor_of(angles, "model", fast)[0].peak.violations != {}


@pytest.mark.parametrize("backend", ["mock", "model"])
def test_an_uneven_tick_in_real_time_is_no_acceleration_but_a_jump_after_it_is(backend):
    def seen(*ticks):  # (when in ticks, where in ticks of even motion)
        monitor, callbacks = monitor_of([], backend)
        monitor.counters["rate"] = f"{1.0 / DT:g}"
        for when, where in ticks:
            callbacks["joint_states"](state(when, 1.9 + 0.8 * LIMIT * DT * where), {})
        return set(monitor.peak.violations)

    late = seen((0, 0.0), (1, 1.0), (2.4, 2.0), (3.4, 3.0), (4.2, 3.8), (5.2, 5.0))
    assert late == (set() if backend == "mock" else {"acceleration", "braking"})
    assert "acceleration" in seen((0, 0.0), (1, 1.0), (5, 2.0), (6, 5.0))


def test_forged_states_are_not_checked():
    monitor, callbacks = monitor_of([1.9, 1.9])
    forged = state(2, 40.0)
    monitor.forged.add(forged)
    callbacks["joint_states"](forged, {})
    assert len(monitor.states) == 2
    assert monitor.peak.violations == {}


def test_a_joint_without_torque_is_not_checked():
    monitor, callbacks = monitor_of([1.9, 1.9])

    def motion(word):
        callbacks["motion_state"](serialize_message(DiagnosticStatus(name="backend", message=word)), {})

    motion("e-stopped")
    for tick, angle in enumerate((2.5, 2.9, 2.9), 2):
        callbacks["joint_states"](state(tick, angle), {})
    assert monitor.peak.violations == {}
    motion("active")
    for tick, angle in enumerate((2.9, 2.9, 2.0), 5):
        callbacks["joint_states"](state(tick, angle), {})
    assert set(monitor.peak.violations) == {"speed", "acceleration"}


def test_a_time_reversal_is_counted():
    monitor, callbacks = monitor_of([1.9] * 5)
    callbacks["joint_states"](state(1, 1.9), {})
    assert monitor.time_reversals == 1


def test_only_warnings_and_errors_after_the_fault_are_reports_of_it():
    monitor, callbacks = monitor_of([1.9])

    def say(level, text):
        values = [KeyValue(key="motion", value="faulted")]
        status = DiagnosticStatus(name="robot/backend", level=bytes([level]), message=text, values=values)
        callbacks["diagnostics"](serialize_message(DiagnosticArray(status=[status])), {})

    say(0, "joint_2 is well")
    say(2, "Joint_2 does not follow")
    since = monitor.statuses[-1].received
    assert monitor.motion == "faulted"
    assert monitor.is_safe()
    assert monitor.has_reported(("JOINT_2 does",), since)
    assert not monitor.has_reported(("joint_2 is well",), 0.0)
    assert not monitor.has_reported(("does not follow",), since + 1.0)


def test_a_tolerated_tremor_counts_as_rest():
    monitor, callbacks = monitor_of([1.9 + 0.01 * (tick % 2) for tick in range(40)])
    assert not monitor.is_safe()
    assert monitor.is_safe(tremor=0.02)
    assert not monitor.is_safe()
    callbacks["joint_states"](state(41, 2.0), {})
    assert not monitor.is_safe(tremor=0.02)
