"""Strides of a run in physics: cut by events of a foot, counted along the robot's heading."""

import dataclasses
import math

import numpy as np
import pytest
from transforms3d.euler import euler2quat

from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import StrideSpec
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, Observation
from crawler_studies.recordings.run_window import RunWindow

DT = 0.01  # s
TICKS = 400


def seen(x, y, yaw, lifted, time_ns=0):
    half = 0.5 * yaw
    base = BaseState((x, y, 0.0), (math.cos(half), 0.0, 0.0, math.sin(half)), (0.0,) * 3, (0.0,) * 3)
    mode = ContactMode.OPEN if lifted else ContactMode.STICK
    contacts = tuple(Contact(foot, mode, ContactSource.SIMULATED, (0.0,) * 3, (0.0,) * 3) for foot in ("a", "b"))
    return Observation(time_ns, np.zeros(2), np.zeros(2), np.zeros(2), base, contacts)


def circling(**changes):
    """A robot that walks a quarter of a circle of 1 m to the left, and lifts its feet every 100 ticks."""
    spec = dataclasses.replace(load_robot("three_link"), base_motion=("x", "y", "yaw"), **changes)
    angles = np.linspace(0.0, 0.5 * math.pi, TICKS + 1)
    every = [seen(math.sin(a), 1.0 - math.cos(a), a, k % 100 >= 60, round(k * DT * 1e9)) for k, a in enumerate(angles)]
    window = RunWindow(spec, DT, every[0])
    for one in every[1:]:
        window.add(one)
    return window


def test_a_robot_that_turns_is_measured_along_its_way():
    strides = circling().measure_strides(4)
    assert strides.step == pytest.approx(0.25 * 0.5 * math.pi, rel=1e-5)  # chords of the circle
    assert strides.drift == pytest.approx(0.0, abs=1e-9)
    assert strides.turn == pytest.approx(0.5 * math.pi)
    assert strides.period == pytest.approx(1.0)


def test_strides_go_from_one_event_of_the_foot_to_another():
    foot = load_robot("three_link").foot_names[0]
    strides = circling(stride=StrideSpec("touch_down", foot)).measure_strides(7)
    assert strides.count == 3  # touch-downs at 100, 200, 300 and 400
    assert strides.period == pytest.approx(1.0)
    assert strides.step == pytest.approx(0.25 * 0.5 * math.pi, rel=1e-5)
    apart = circling(stride=StrideSpec("touch_down", foot, min_interval=1.5)).measure_strides(7)
    assert (apart.count, apart.period) == (1, pytest.approx(2.0))  # those at 200 and 400 are too near


def pushed(force, slip, mode, effort, rate):
    base = BaseState((0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3)
    contacts = (Contact("a", mode, ContactSource.SIMULATED, force, slip),)
    return Observation(0, np.zeros(2), np.array([rate, 0.0]), np.array([effort, 0.0]), base, contacts)


def test_the_motors_and_the_ground_are_asked_for_what_they_had_to_give():
    still = (0.0, 0.0, 0.0)
    window = RunWindow(load_robot("three_link"), DT, pushed(still, still, ContactMode.OPEN, 0.0, 0.0))
    window.add(pushed((3.0, 0.0, 10.0), still, ContactMode.STICK, 2.0, 5.0))
    window.add(pushed((-8.0, 0.0, 20.0), (0.5, 0.0, 0.0), ContactMode.SLIP_POS, -4.0, 6.0))
    window.add(pushed(still, (0.9, 0.0, 0.0), ContactMode.OPEN, 1.0, -7.0))
    assert (window.peak_torque, window.peak_power, window.peak_speed) == (4.0, 24.0, 7.0)
    assert window.work == pytest.approx(10.0 * DT)  # what brakes gives nothing back
    assert window.friction_used == pytest.approx(0.3)  # of a foot that sticks; one in the air does not slip
    assert window.peak_force == 20.0
    assert window.slip == pytest.approx(0.5 * DT)
    assert window.friction_work == pytest.approx(4.0 * DT)
    assert window.time == pytest.approx(3 * DT)


def test_a_motor_keeps_what_its_own_damping_takes():
    spec = load_robot("three_link")
    damped = dataclasses.replace(spec, joints=tuple(dataclasses.replace(joint, damping=0.5) for joint in spec.joints))
    still = (0.0, 0.0, 0.0)
    window = RunWindow(damped, DT, pushed(still, still, ContactMode.OPEN, 0.0, 0.0))
    window.add(pushed(still, still, ContactMode.OPEN, 3.0, 4.0))  # 3 N m, of which 2 are left on the shaft
    assert window.work == pytest.approx(1.0 * 4.0 * DT)


def test_the_feet_are_told_apart_by_period_or_by_the_event_of_a_foot():
    class Meant:
        def intended(self, t):
            return np.broadcast_to(np.ones(2, dtype=bool), (*np.shape(t), 2))

    for change in ({}, {"stride": StrideSpec("touch_down", load_robot("three_link").foot_names[0])}):
        found = circling(**change).measure_footfall(Meant(), 4)
        assert found.cycles == (3 if change else 4)
        assert found.duty == pytest.approx([0.6, 0.6], abs=0.01)  # to the tick at which the window begins
        assert found.mismatch == pytest.approx(0.4, abs=0.01)


def test_roll_and_pitch_are_those_of_the_base():
    spec, still = load_robot("three_link"), np.zeros(2)
    window = RunWindow(spec, DT, seen(0.0, 0.0, 0.0, False))
    for roll, pitch, yaw in ((0.1, -0.2, 2.0), (0.0, 1.2, -3.0)):
        base = BaseState((0.0,) * 3, tuple(euler2quat(roll, pitch, yaw, "sxyz")), (0.0,) * 3, (0.0,) * 3)
        window.add(Observation(0, still, still, still, base, seen(0.0, 0.0, 0.0, False).contacts))
    expected = [(0.1, -0.2, math.cos(0.1) * math.cos(0.2)), (0.0, 1.2, math.cos(1.2))]
    assert window.attitude == pytest.approx(np.array(expected))
