"""Heading hold of the law phase_lock, on a robot whose yaw rate follows the phases of its hind legs."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ImuReading
from hybrid_controller.laws.law import Measured, Setpoint
from hybrid_controller.laws.phase_lock import PhaseLock, PhaseLockParameters, phase_differences
from hybrid_controller.reference.horizon import ReferencePoint

DT_NS = 8_000_000
RATE = 15.7  # rad/s of the cranks
SWAY = math.radians(3.0)  # of the heading within a stride
G = 9.81
LEGS = "crank_2 1, crank_3 -1"
HEADING: dict[str, Any] = {"heading": True, "heading_joints": LEGS, "heading_gain": 1.5, "heading_lead": 0.3}


def robot(*sensors):
    spec = load_robot("three_link")
    crank = dataclasses.replace(
        spec.joints[0],
        continuous=True,
        lower=-math.inf,
        upper=math.inf,
        velocity=60.0,
        command_interface="effort",
        effort=0.007,
        damping=1e-4,
    )
    joints = tuple(dataclasses.replace(crank, name=f"crank_{i}") for i in range(4))
    return dataclasses.replace(spec, joints=joints, sensors=sensors)


IMU = SensorSpec("imu", "imu", link=robot().base_link)


class Walker:
    """Cranks that turn exactly as the law wants. The robot turns by 1 deg/s a degree of its hind legs' lead."""

    def __init__(self, bend=0.0, slope=1.0, bias=0.0, **values):
        self.law = PhaseLock(robot(IMU), PhaseLockParameters(**{**HEADING, **values}), 1e-9 * DT_NS)
        self.bend, self.slope, self.bias = math.radians(bend), slope, bias
        self.rates = np.full(4, RATE)
        self.angle, self.reference = np.zeros(4), np.zeros(4)
        self.yaw = self.yaw_rate = 0.0  # without the sway
        self.speed = 0.0  # rad/s, mean of the cranks
        self.time_ns = 0
        self.gyro_works = True
        self.stood_s = 0.0

    def tick(self):
        gyro = self.yaw_rate + self.bias + SWAY * math.cos(self.angle.mean()) * self.speed
        reading = ImuReading("imu", self.time_ns, (0.0, 0.0, gyro), (0.0, 0.0, G))
        measured = Measured(
            self.time_ns, self.angle.tolist(), [0.0] * 4, (), readings=(reading,) if self.gyro_works else ()
        )
        self.law.observe(measured)
        now = ReferencePoint(self.reference.tolist(), self.rates.tolist(), [0.0] * 4)
        answer = self.law.compute(measured, Setpoint(measured.position, [0.0] * 4, [False] * 4), now, now)
        velocity = np.array(answer.velocity)
        dt = 1e-9 * DT_NS
        self.speed = float(velocity.mean())
        self.stood_s += dt if not velocity.any() else 0.0
        self.angle += velocity * dt
        self.reference += self.rates * dt
        self.time_ns += DT_NS
        moves = 1.0 if velocity.any() else 0.0
        self.yaw_rate = moves * (self.bend + self.slope * self.shift)
        self.yaw += self.yaw_rate * dt
        return math.degrees(self.yaw)

    @property
    def shift(self):
        """By how much the hind legs' phases are shifted, rad."""
        left, right = phase_differences((self.angle - self.reference).tolist())[2:]
        return 0.5 * (left - right)

    def run(self, seconds):
        """Return the headings of each tick, degrees."""
        return np.array([self.tick() for _ in range(round(seconds * 1e9 / DT_NS))])


@pytest.mark.parametrize("bend", [-18.0, 0.0, 9.0])
def test_a_robot_that_bends_goes_straight_after_some_seconds_whatever_the_gyros_bias(bend):
    walker = Walker(bend, bias=0.02)
    walker.run(8.0)
    assert np.abs(walker.run(4.0)).max() < 1.0
    assert math.degrees(walker.shift) == pytest.approx(-bend, abs=0.5)
    assert walker.law.report.note == ""


def test_it_stands_for_half_a_second_until_the_bias_is_known():
    walker = Walker(bias=0.1)
    walker.run(3.0)
    assert walker.stood_s == pytest.approx(0.5, abs=0.02)
    blind = Walker()
    blind.gyro_works = False
    blind.run(4.0)
    assert blind.stood_s == pytest.approx(3.0, abs=0.02)
    assert "the bias of the gyro could not be measured" in blind.law.report.note


def test_a_gyro_that_dies_fades_the_correction_out_and_one_that_returns_brings_it_back():
    walker = Walker(bend=9.0)
    walker.run(8.0)
    assert math.degrees(walker.shift) == pytest.approx(-9.0, abs=1.0)
    walker.gyro_works = False
    walker.run(0.19)
    assert walker.law.report.note == ""
    walker.run(1.5)
    assert math.degrees(walker.shift) == pytest.approx(0.0, abs=0.5)
    assert "no reading of the gyro for" in walker.law.report.note
    walker.gyro_works = True
    walker.run(6.0)
    assert walker.law.report.note == ""
    assert np.ptp(walker.run(2.0)) < 1.0


def test_a_commanded_turn_is_not_countered_and_the_heading_after_it_is_held():
    walker = Walker(bend=5.0)
    walker.run(8.0)
    shift = walker.shift
    walker.rates = np.array([0.8, 1.2, 0.8, 1.2]) * RATE
    walker.bend += math.radians(30.0)
    before = walker.run(2.0)[0]
    after = walker.run(0.008)[0]
    assert after - before > 40.0
    walker.rates = np.full(4, RATE)
    walker.bend -= math.radians(30.0)
    walker.reference = walker.angle.copy()
    walker.reference[2:] -= shift * np.array([1.0, -1.0])
    walker.run(6.0)
    assert np.ptp(walker.run(2.0)) < 1.0
    assert math.degrees(walker.yaw) == pytest.approx(after, abs=8.0)


def test_a_correction_that_works_the_wrong_way_is_given_up():
    walker = Walker(bend=2.0, slope=-1.0)
    walker.run(15.0)
    assert "check controller.heading_gain" in walker.law.report.note
    assert math.degrees(walker.shift) == pytest.approx(0.0, abs=0.5)
    other = Walker(bend=2.0, slope=-1.0, heading_gain=-1.5)
    other.run(8.0)
    assert np.abs(other.run(4.0)).max() < 1.0


def test_cranks_that_turn_too_slowly_are_not_corrected():
    walker = Walker(bend=3.0, heading_slowest=20.0)
    walker.run(4.0)
    assert walker.shift == pytest.approx(0.0, abs=1e-6)
    assert "15.7 rad/s, less than controller.heading_slowest" in walker.law.report.note


def test_without_heading_the_law_reads_no_sensor_and_does_not_wait():
    law = PhaseLock(robot(IMU), PhaseLockParameters(), 1e-9 * DT_NS)
    assert not law.reads_sensors
    assert PhaseLock(robot(IMU), PhaseLockParameters(**HEADING), 1e-9 * DT_NS).reads_sensors == ("imu",)


def test_a_robot_without_an_imu_or_joints_to_shift_is_refused_in_a_sentence():
    with pytest.raises(UserError, match="has no sensor of kind imu on the link"):
        PhaseLock(robot(), PhaseLockParameters(**HEADING), 0.004)
    for joints in ("", "crank_9 1", "crank_2 fast", "crank_2 2", "crank_2 nan"):
        with pytest.raises(UserError, match=r"controller.heading_joints = .* is not allowed with controller.heading"):
            PhaseLock(robot(IMU), PhaseLockParameters(**{**HEADING, "heading_joints": joints}), 0.004)


def test_after_a_restart_all_is_as_at_the_first_start():
    walker = Walker(bend=9.0)
    first = walker.run(3.0)
    walker.law.restart()
    walker.angle, walker.reference, walker.yaw, walker.yaw_rate, walker.speed = np.zeros(4), np.zeros(4), 0.0, 0.0, 0.0
    walker.time_ns = 0
    assert np.array_equal(walker.run(3.0), first)
