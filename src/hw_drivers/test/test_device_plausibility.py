"""Readings that no working motor has, on emulated motors in virtual time."""

import math

import numpy as np
import pytest
from hw_robots import gymnast, three_link, three_link_on_a_board

from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand
from hw_drivers.backend.device_plausibility import DevicePlausibility
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.bus.bus import Reading
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings

DT = 0.01
FAIL_AFTER_S = 0.05
ROBOTS = {"dynamixel": three_link, "board": three_link_on_a_board, "odrive": gymnast}


def run(kind, fault, seconds, amplitude=0.0):
    """Sway all joints by `amplitude` (rad) under a fault of the last position-driven one; return runner and joint."""
    spec = ROBOTS[kind]()
    joint = next(one.name for one in reversed(spec.actuated) if not one.is_effort_driven)
    settings = EmulatedSettings(fail=fault, fail_after=FAIL_AFTER_S, fail_joint=joint)
    runner = SupervisedBackend(EmulatedBackend(spec, settings, DT), Supervisor(spec, DT), DT)
    try:
        runner.open()
        runner.enable()
        position = [one.is_effort_driven for one in spec.actuated]
        home = runner.observation.position[spec.actuated_indices]
        for tick in range(round(seconds / DT)):
            goal = np.where(position, math.nan, home + amplitude * (math.cos(6.0 * tick * DT) - 1.0))
            if not runner.tick(JointCommand(goal, np.full_like(goal, math.nan), np.full_like(goal, math.nan))):
                break
            if runner.supervisor.motion is not MotionState.ACTIVE:
                break
        return runner, joint
    finally:
        runner.close(release=True)


@pytest.mark.parametrize(
    ("kind", "fault", "words"),
    [
        ("dynamixel", "jump", "angle of {} jumped by"),
        ("dynamixel", "stuck", "{} does not follow: its setpoint moved by"),
        ("dynamixel", "high_supply", "motor of {} reports a supply of 24.8 V: it needs 10 to 14.8 V"),
        ("board", "tremble", "angle of {} "),
        ("board", "no_supply", "motor of {} reports a supply of 0.0 V: it needs 11 to 13 V"),
        ("odrive", "tremble", "angle of {} "),
        ("odrive", "cold", "motor of {} reports -40 °C: -20 to 150 °C are plausible"),
    ],
)
def test_what_cannot_be_read_takes_the_torque_off_and_names_joint_value_range_and_remedy(kind, fault, words):
    runner, joint = run(kind, fault, 2.0, math.radians(2.0) if fault == "stuck" else 0.0)
    report = runner.supervisor.report
    assert runner.supervisor.motion is MotionState.FAULTED
    assert words.format(joint) in report.fault
    assert report.joint == joint
    assert report.remedy.startswith("check ")
    assert runner.health()["torque_off"]


def reading(time, **values):
    return Reading("joint_1", time, 0.0, 0.0, **values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"voltage": 9.9}, "supply of 9.9 V: it needs 10 to 14.8 V"),
        ({"voltage": 15.0}, "supply of 15.0 V"),
        ({"temperature": -21.0}, "-21 °C"),
        ({"temperature": 151.0}, "151 °C"),
        ({"voltage": 10.0, "temperature": -20.0}, ""),
        ({"voltage": 14.8, "temperature": 150.0}, ""),
        ({}, ""),  # a device that reports neither
    ],
)
def test_values_out_of_range_for_half_a_second_are_a_fault(values, words):
    check = DevicePlausibility(hardware_map(three_link())).check
    faults = [check([reading(0.1 * k, **values)]) for k in range(8)]
    assert faults[:5] == [None] * 5
    assert words in str(faults[5])
    assert (faults[5] is not None) == bool(words)


def test_a_moments_sag_and_a_lost_answer_are_none():
    check = DevicePlausibility(hardware_map(three_link())).check
    assert all(check([reading(0.1 * k, voltage=12.0 if k % 5 == 0 else 9.0)]) is None for k in range(50))
    assert all(check([reading(4.7, voltage=9.0)]) is None for _ in range(50))
