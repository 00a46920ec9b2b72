"""The heading from an IMU alone: bias, mount, tilt, gaps."""

import math

import numpy as np
import pytest
from transforms3d.axangles import mat2axangle
from transforms3d.euler import euler2mat

from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ImuReading
from hybrid_controller.estimation.gyro_heading import GyroHeading

G = 9.81  # m/s²
REST = 0.5  # s
PERIOD_NS = 4_000_000
BIAS = (0.02, -0.03, 0.025)  # rad/s
UPSIDE_DOWN = {"roll": math.pi, "pitch": 0.1, "yaw": -0.7}  # rad


class SwayingBody:
    """A body with an IMU. After a rest it turns and sways about roll and pitch, as a robot that walks."""

    def __init__(self, bias=BIAS, tilt=0.0, yaw_rate=0.0, **mount):
        self.heading = GyroHeading(SensorSpec("imu", "imu", **mount), REST)
        self.mount = euler2mat(mount.get("roll", 0.0), mount.get("pitch", 0.0), mount.get("yaw", 0.0), axes="sxyz")
        self.bias, self.tilt, self.yaw_rate = np.array(bias), tilt, yaw_rate
        self.time_ns = 0

    def attitude(self, time_ns):
        walked = max(0.0, 1e-9 * time_ns - 0.8)
        sway = math.radians(4.0)
        roll, pitch = sway * math.sin(16.0 * walked), sway * math.sin(32.0 * walked + 1.0) - sway * math.sin(1.0)
        yaw = self.yaw_rate * walked + 0.05 * math.sin(16.0 * walked)
        return euler2mat(self.tilt + roll, pitch, yaw, axes="sxyz")

    def run(self, seconds, at_rest=False):
        for _ in range(round(seconds * 1e9 / PERIOD_NS)):
            before, self.time_ns = self.time_ns, self.time_ns + PERIOD_NS
            axis, angle = mat2axangle(self.attitude(before).T @ self.attitude(before + 2 * PERIOD_NS))
            rate = self.mount.T @ (np.array(axis) * angle / (2e-9 * PERIOD_NS)) + self.bias
            force = self.mount.T @ self.attitude(self.time_ns).T @ (0.0, 0.0, G)
            self.heading.add(ImuReading("imu", self.time_ns, tuple(rate.tolist()), tuple(force.tolist())), at_rest)
        return math.degrees(self.heading.heading)


@pytest.mark.parametrize("mount", [{}, UPSIDE_DOWN])
@pytest.mark.parametrize("tilt", [0.0, 0.15])
def test_the_heading_of_a_swaying_body_is_that_of_its_yaw_whatever_the_mount_the_tilt_and_the_bias(mount, tilt):
    body = SwayingBody(tilt=tilt, yaw_rate=0.5, **mount)
    body.run(0.7, at_rest=True)
    assert body.heading.is_calibrated
    body.run(10.0)
    walked = 1e-9 * body.time_ns - 0.8
    expected = math.degrees(0.5 * walked + 0.05 * math.sin(16.0 * walked))
    assert math.degrees(body.heading.heading) == pytest.approx(expected, abs=0.5)


def test_without_a_rest_there_is_no_bias_and_no_heading():
    body = SwayingBody()
    body.run(2.0)
    assert not body.heading.is_calibrated
    assert body.heading.heading == 0.0


def test_a_robot_that_is_moved_at_the_start_does_not_count_as_resting():
    body = SwayingBody(yaw_rate=0.3)
    body.run(0.4, at_rest=True)
    body.run(1.0, at_rest=True)  # it begins to sway at 0.8 s
    assert body.heading.is_calibrated  # by the first half second
    drift = body.run(0.1) - body.run(0.0)
    moved = SwayingBody(yaw_rate=0.3)
    moved.time_ns = 900_000_000  # it sways from the start on
    moved.run(2.0, at_rest=True)
    assert not moved.heading.is_calibrated
    assert math.isfinite(drift)


def test_a_gap_in_the_readings_is_counted_and_not_integrated():
    body = SwayingBody(bias=(0.0, 0.0, 0.0))
    body.run(0.7, at_rest=True)
    body.yaw_rate = 1.0
    body.time_ns += 400_000_000
    body.run(0.004)
    assert body.heading.gaps == 1
    assert math.degrees(body.heading.heading) == pytest.approx(0.0, abs=0.01)


def test_old_readings_and_those_of_other_sensors_are_ignored():
    heading = GyroHeading(SensorSpec("imu", "imu"), REST)
    heading.add(ImuReading("other", 5, (0.0, 0.0, 1.0), (0.0, 0.0, G)), True)
    assert heading.time_ns is None
    heading.add(ImuReading("imu", 5, (0.0, 0.0, 0.0), (0.0, 0.0, G)), True)
    heading.add(ImuReading("imu", 4, (0.0, 0.0, 1.0), (0.0, 0.0, G)), True)
    assert heading.time_ns == 5
