"""Simulated sensors against motions whose rates, forces and poses are known in closed form."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from transforms3d.axangles import axangle2mat
from transforms3d.euler import euler2mat
from transforms3d.quaternions import mat2quat, quat2mat

from crawler_core.description.frame import read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.sensors.link_motion import LinkMotion
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.sensors.simulated_sensors import SimulatedSensors
from crawler_core.types import BaseState, BatteryReading, Contact, ContactMode, ContactSource, Observation

DT_NS = 2_000_000
NOISY: dict[str, Any] = {"gyro_noise": 0.01, "accel_noise": 0.1, "gyro_bias": 0.02, "accel_bias": 0.2}


def robot(*sensors):
    return replace(load_robot("three_link"), sensors=sensors)


def still(time_ns, base=None, contacts=()):
    """Return a state whose joints stand still."""
    base = base or BaseState((0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3)
    return Observation(time_ns, np.zeros(2), np.zeros(2), np.zeros(2), base, contacts)


def readings(spec, ticks, profile="typical", dt_ns=DT_NS, state=still, seed=0):
    """Return (time of arrival in ns, reading) of a run from time 0."""
    sensors = SimulatedSensors(spec, profile, seed)
    return [(k * dt_ns, one) for k in range(ticks) for one in sensors.update(state(k * dt_ns))]


def spinning(time_ns, spin=3.0, radius=0.5):
    """Return a state of a body that circles about z, with x forward along the circle, at 9 rad/s^2 of centripetal."""
    t = time_ns * 1e-9
    turn = axangle2mat((0, 0, 1), spin * t + math.pi / 2)
    place = radius * np.array([math.cos(spin * t), math.sin(spin * t), 0.0])
    speed = radius * spin * np.array([-math.sin(spin * t), math.cos(spin * t), 0.0])
    return still(time_ns, BaseState(tuple(place), tuple(mat2quat(turn)), tuple(speed), (0.0, 0.0, spin)))


def test_imu_at_rest_feels_one_g_up():
    found = readings(robot(SensorSpec("imu", "imu", "body", rate=500.0)), 3)
    assert [one.time_ns for _, one in found] == [DT_NS, 2 * DT_NS]  # the first has no velocity before it
    assert found[-1][1].linear == pytest.approx((0.0, 0.0, 9.81))
    assert found[-1][1].angular == (0.0, 0.0, 0.0)


def test_imu_on_a_circle_with_lever_arm_and_mount():
    mount = (0.3, -0.2, 0.9)
    sensor = SensorSpec("imu", "imu", "body", rate=500.0, x=0.2, y=0.1, roll=mount[0], pitch=mount[1], yaw=mount[2])
    _, one = readings(robot(sensor), 101, state=spinning)[-1]
    # in the body's axes the sensor is at (0.2, 0.6) from the centre, to which y points backward
    expected = np.array([-9.0 * 0.2, 9.0 * (0.5 - 0.1), 9.81])
    axes = euler2mat(*mount, axes="sxyz")
    assert np.array(one.linear) == pytest.approx(axes.T @ expected, abs=0.02)  # the mean over a tick is half a tick old
    assert np.array(one.angular) == pytest.approx(axes.T @ [0.0, 0.0, 3.0])


def test_imu_in_free_fall_feels_nothing():
    def falling(time_ns):
        t = time_ns * 1e-9
        return still(time_ns, BaseState((0, 0, 1 - 4.905 * t * t), (1, 0, 0, 0), (0.3, 0.0, -9.81 * t), (0, 0, 0)))

    _, one = readings(robot(SensorSpec("imu", "imu", "body", rate=500.0)), 50, state=falling)[-1]
    assert one.linear == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_slow_imu_loses_no_impact():
    def kicked(time_ns):
        return still(time_ns, BaseState((0, 0, 0), (1, 0, 0, 0), (0.5 * (time_ns > 101 * DT_NS), 0, 0), (0, 0, 0)))

    found = readings(robot(SensorSpec("imu", "imu", "body", rate=50.0)), 200, state=kicked)
    assert sum(one.linear[0] / 50.0 for _, one in found) == pytest.approx(0.5)


def test_link_of_a_leg_moves_as_its_urdf_says():
    """Velocities against differences of positions that are computed with matrices."""
    spec = load_robot("three_link")
    frames = {frame.child: frame for frame in read_frames(build_urdf(spec))}
    leg = next(name for name, frame in frames.items() if frame.joint == "joint_2")
    motion, h = LinkMotion(spec, leg), 1e-6
    rates, spin, speed = np.array([1.1, -2.3]), np.array([0.4, -0.7, 0.2]), np.array([0.1, 0.2, 0.3])

    def at(t):
        turn = axangle2mat(spin, float(np.linalg.norm(spin)) * t) @ euler2mat(0.1, 0.2, 0.3)
        base = BaseState(tuple(speed * t), tuple(mat2quat(turn)), tuple(speed), tuple(spin))
        return base, Observation(0, np.array([1.9, 2.2]) + rates * t, rates, np.zeros(2))

    def pose(t):
        base, joints = at(t)
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = quat2mat(base.quaternion), base.position
        return matrix @ frames[leg].pose(joints.position[1])

    state = motion.state(*at(0.0))
    assert state.position == pytest.approx(pose(0.0)[:3, 3])
    assert np.array(state.rotation) == pytest.approx(pose(0.0)[:3, :3])
    assert state.linear == pytest.approx((pose(h) - pose(-h))[:3, 3] / (2 * h), abs=1e-6)
    turning = (pose(h) - pose(-h))[:3, :3] / (2 * h) @ pose(0.0)[:3, :3].T
    assert state.angular == pytest.approx((turning[2, 1], turning[0, 2], turning[1, 0]), abs=1e-6)


def test_unknown_link_is_a_sentence():
    with pytest.raises(UserError, match="link of a sensor"):
        SimulatedSensors(robot(SensorSpec("imu", "imu", "leg_9")), "ideal")


@pytest.mark.parametrize("rate", [500.0, 200.0, 30.0, 119.88, 70.0])
def test_rate_is_right_on_average(rate):
    found = readings(robot(SensorSpec("camera", "external_pose", "body", rate=rate)), 5001)
    assert len(found) == pytest.approx(10.0 * rate + 1, abs=1.0)
    times = [one.time_ns for _, one in found]
    assert all(time % DT_NS == 0 for time in times)
    assert max(abs(time - k * 1e9 / rate) for k, time in enumerate(times)) <= DT_NS


def test_delay_and_stamp():
    spec = robot(SensorSpec("camera", "external_pose", "body", rate=30.0, delay=0.04))
    found = readings(spec, 1000, state=spinning)
    assert {arrival - one.time_ns for arrival, one in found} == {40_000_000}
    assert all(one.position == spinning(one.time_ns).base.position for _, one in found)
    assert all(arrival == one.time_ns for arrival, one in readings(spec, 100, "ideal"))


def test_noise_bias_and_range():
    sensor = SensorSpec("imu", "imu", "body", rate=500.0, accel_range=10.0, **NOISY)
    found = np.array([[*one.angular, *one.linear] for _, one in readings(robot(sensor), 4001)])
    assert found[:, :3].std(axis=0) == pytest.approx(0.01, rel=0.1)
    assert found[:, 3:5].std(axis=0) == pytest.approx(0.1, rel=0.1)
    assert 0.0 < np.abs(found[:, :2].mean(axis=0)).max() < 0.1  # the bias, of three deviations at most
    assert found[:, 5].max() <= 10.0
    harsh = np.array([one.angular for _, one in readings(robot(sensor), 4001, "harsh")])
    assert harsh.std(axis=0) == pytest.approx(0.03, rel=0.1)


def test_loss():
    sensor = SensorSpec("camera", "external_pose", "body", rate=500.0, loss=0.3)
    assert len(readings(robot(sensor), 3000)) == pytest.approx(2100, abs=100)
    assert len(readings(robot(sensor), 3000, "ideal")) == 3000


def test_pose_noise():
    sensor = SensorSpec("camera", "external_pose", "body", rate=500.0, position_noise=0.001, angle_noise=0.01)
    found = [one for _, one in readings(robot(sensor), 2000)]
    assert np.std([one.position for one in found], axis=0) == pytest.approx(0.001, rel=0.1)
    small = 2.0 * np.array([one.quaternion[1:] for one in found])  # turns, rad
    assert small.std(axis=0) == pytest.approx(0.01, rel=0.1)


def test_feet():
    def on_foot_2(force):
        unknown = (math.nan,) * 3
        return [
            Contact("foot_1", ContactMode.OPEN, ContactSource.SIMULATED, unknown, unknown),
            Contact("foot_2", ContactMode.STICK, ContactSource.SIMULATED, (0.0, 0.0, force), unknown),
        ]

    by_mode = SensorSpec("heel", "contact_switch", foot="foot_1")
    switch = SensorSpec("toe", "contact_switch", foot="foot_2", threshold=0.5)
    gauge = SensorSpec("gauge", "foot_force", foot="foot_2")
    for force, closed in ((0.4, False), (0.6, True)):
        found: Any = SimulatedSensors(robot(by_mode, switch, gauge), "ideal").update(
            still(0, contacts=on_foot_2(force))
        )
        assert (found[0].closed, found[1].closed, found[2].force) == (False, closed, force)
    assert SimulatedSensors(robot(switch, gauge), "ideal").update(still(0)) == ()


def test_battery_falls_with_power():
    spec = robot(SensorSpec("battery", "battery", voltage=10.0, resistance=0.5))
    state = replace(still(0), effort=np.array([2.0, math.nan]), velocity=np.array([5.0, 1.0]))
    (one,) = SimulatedSensors(spec, "ideal").update(state)
    assert isinstance(one, BatteryReading)
    assert (one.voltage, one.current) == (9.5, 1.0)


def test_same_seed_same_noise_and_one_sensor_more_changes_no_other():
    imu = SensorSpec("imu", "imu", "body", rate=250.0, loss=0.1, **NOISY)
    camera = SensorSpec("camera", "external_pose", "body", rate=30.0, delay=0.04, position_noise=0.001)
    alone, both = readings(robot(imu), 500, state=spinning), readings(robot(camera, imu), 500, state=spinning)
    assert both == readings(robot(camera, imu), 500, state=spinning)
    assert alone == [found for found in both if found[1].sensor == "imu"]
    assert alone != readings(robot(imu), 500, state=spinning, seed=1)


def test_restart_and_time_that_goes_back_begin_the_same_run():
    spec = robot(SensorSpec("imu", "imu", "body", rate=250.0, **NOISY))
    sensors = SimulatedSensors(spec, "typical")

    def run():
        return [sensors.update(still(k * DT_NS)) for k in range(20)]

    first = run()
    assert run() == first  # time went back
    assert sensors.update(still(19 * DT_NS)) == first[19]  # asked again
    sensors.restart()
    assert run() == first
