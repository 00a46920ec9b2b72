"""Axes that are driven by effort: the torque that is wanted at the joint, for as long as it is wanted."""

import math

import numpy as np
import pytest
from odrive_bench import TICK, Bench, crank

from crawler_core.errors import UserError
from hw_drivers.odrive import messages as m
from hw_drivers.odrive.plan import plan_axis, setpoint


def wheel(**changes):
    """A crank that is driven by effort."""
    return crank(mode="torque", is_effort_driven=True, **changes)


def test_the_drive_is_told_the_torque_of_its_motor_and_none_for_nan():
    plan = plan_axis(wheel())  # its motor turns against the joint, eight times as fast
    away = (1.0, 2.0)  # neither where it is nor how fast it turns counts
    most = 1.5  # N·m at the joint
    for effort, told in ((0.8, -0.1), (math.nan, 0.0), (-9.0, most / 8.0)):
        message = setpoint(plan, math.nan, math.nan, effort, away)
        assert isinstance(message, m.SetInputTorque)
        assert message.torque == pytest.approx(told)


def test_a_torque_accelerates_the_joint_by_its_inertia_and_its_friction():
    with Bench([wheel()], start=0.0) as bench:
        bench.ready()
        for _ in range(40):
            readings = bench.tick(math.nan, math.nan, 0.15)
        # the emulated motor gives 150 turns/s² with all of its 1.5 N·m, and has a friction that stops it in 50 ms
        most = 0.1 * 150.0 * 2.0 * math.pi * 0.05
        rate = most * (1.0 - math.exp(-40 * TICK / 0.05))
        assert bench.emulator.motion()[1][0] == pytest.approx(rate, rel=0.01)  # steps of 0.5 ms
        assert readings[0].effort == pytest.approx(0.15, rel=1e-5)  # floats of 4 bytes
        assert readings[0].velocity == pytest.approx(rate, rel=0.02)  # an estimate is up to 10 ms old


def test_without_an_effort_the_joint_runs_out_with_its_torque_on():
    with Bench([wheel()], start=0.0) as bench:
        bench.ready()
        for _ in range(40):
            bench.tick(math.nan, math.nan, 0.15)
        turning = bench.emulator.motion()[1][0]
        for _ in range(10):
            readings = bench.tick(math.nan, math.nan, math.nan)
        assert readings[0].effort == 0.0
        assert bench.emulator.motion()[1][0] == pytest.approx(turning * math.exp(-10 * TICK / 0.05), rel=0.05)
        assert bench.emulator.torque() == (True,)
        assert bench.fault is None


def test_the_drive_takes_the_torque_back_at_its_own_limit_of_velocity():
    with Bench([wheel()], start=0.0) as bench:
        bench.ready()
        for _ in range(200):
            bench.tick(math.nan, math.nan, 1.5)
        assert abs(bench.axes[0].rate) <= bench.axes[0].limits.velocity


def test_enabling_pushes_nothing_and_the_mode_is_torque():
    with Bench([wheel()], start=2.0) as bench:
        bench.ready()
        assert bench.axes[0].mode == m.ControlMode.TORQUE
        bench.hold(0.5)
        assert bench.emulator.motion()[0][0] == pytest.approx(2.0, abs=1e-9)


def test_a_watchdog_that_is_not_fed_ends_the_push():
    with Bench([wheel()], start=0.0) as bench:
        bench.ready()
        bench.tick(math.nan, math.nan, 0.15)
        bench.sleep(1.0)  # nobody says anything more
        assert bench.emulator.torque() == (False,)
        assert np.abs(bench.emulator.motion()[1][0]) < 0.01


@pytest.mark.parametrize("mode", ["position", "velocity"])
def test_a_drive_that_would_regulate_something_else_is_refused(mode):
    with pytest.raises(UserError, match=r"crank is driven by effort.*write mode: torque"):
        plan_axis(crank(mode=mode, is_effort_driven=True))
