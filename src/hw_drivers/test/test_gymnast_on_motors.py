"""A robot with a closed chain and a joint that is driven by effort, behind its supervisor on emulated ODrives."""

import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hw_robots import gymnast, ideal_motors

from crawler_core.errors import BackendFault, UserError
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand
from hw_drivers.backend.hardware_backend import HardwareBackend
from hw_drivers.backend.hardware_settings import HardwareSettings

DT = 0.01
NAN = math.nan


class Rig:
    """The guarded robot. The crank stays where it is unless a test moves it."""

    def __init__(self):
        self.spec = gymnast()
        self.crank, self.flywheel = (self.spec.joint_names.index(name) for name in ("crank", "flywheel"))
        self.backend = ideal_motors(self.spec, DT)
        self.runner = SupervisedBackend(
            self.backend, Supervisor(self.spec, DT), DT, make_loop_closure_solver(self.spec)
        )
        self.written: list[float] = []  # the flywheel's efforts, cycle by cycle

    def __enter__(self):
        self.runner.open()
        bus: Any = self.backend.loops[0].bus
        plain = bus.write

        def write(position, velocity, effort):
            self.written.append(float(effort[1]))
            plain(position, velocity, effort)

        bus.write = write
        return self

    def __exit__(self, *_):
        self.backend.close()

    @property
    def emulator(self):
        return self.backend.emulation.emulators["axes"]

    @property
    def report(self):
        return self.runner.supervisor.report

    @property
    def seen(self):
        return self.runner.observation

    def arm(self):
        self.start = float(self.seen.position[self.crank])
        self.runner.enable()
        assert self.push(NAN)
        assert self.emulator.torque() == (True, True)

    def push(self, effort, crank=0.0):
        return self.runner.tick(
            JointCommand(np.array([self.start + crank, NAN]), np.full(2, NAN), np.array([NAN, effort]))
        )

    def spin(self, rate, effort=0.04):
        """Push until the flywheel turns at `rate` (rad/s)."""

        for _ in range(500):
            assert self.push(effort)
            if self.seen.velocity[self.flywheel] > rate:
                return
        raise AssertionError(f"it turns at {self.seen.velocity[self.flywheel]:.3g} rad/s")


def test_the_loop_is_closed_whatever_the_crank_does_and_the_base_is_not_known():
    with Rig() as rig:
        assert np.isnan(rig.backend.observe().position).sum() == 2  # no motor tells of a coupler or a rocker
        closure = make_loop_closure_solver(rig.spec)
        rig.arm()
        for k in range(150):
            assert rig.push(NAN, 0.05 * k)
            assert np.isfinite(rig.seen.velocity).all()
            assert closure.residual(rig.seen.position) < 1e-12
        assert rig.seen.position[rig.crank] > rig.start + 2.0 * math.pi
        assert rig.seen.base is None
        assert rig.seen.contacts == ()


def test_torque_and_power_are_limited_and_that_is_said():
    with Rig() as rig:
        rig.arm()
        assert rig.push(10.0)
        assert rig.runner.applied.effort[1] == pytest.approx(0.05)
        assert rig.report.clamped == 1
        assert "flywheel" in rig.report.last_clamp
        powers = []

        rate = 0.0
        while rate <= 15.0 and len(powers) < 500:  # rad/s, where all of the torque would be 0.75 W
            rate = rig.seen.velocity[rig.flywheel]
            assert rig.push(10.0)
            powers.append(rig.runner.applied.effort[1] * rate)
        assert max(powers) == pytest.approx(0.5)
        assert rig.runner.supervisor.motion is MotionState.ACTIVE


def test_a_missed_command_brakes_at_once():
    with Rig() as rig:
        rig.arm()
        rig.spin(10.0)
        rate = rig.seen.velocity[rig.flywheel]
        before = len(rig.written)
        assert rig.runner.tick(None)
        assert rig.runner.applied.effort[1] == pytest.approx(-1e-4 * rate)
        assert rig.written[before:] == [rig.runner.applied.effort[1]]
        assert rig.report.late == 1


def test_an_effort_is_for_one_tick():
    with Rig() as rig:
        rig.arm()
        rig.backend.apply(JointCommand(np.array([rig.start, NAN]), np.zeros(2), np.array([NAN, 0.03])))
        rig.backend.advance(DT)
        rig.backend.observe()
        assert 0.03 in rig.written
        rig.backend.advance(DT)  # without a new command
        rig.backend.observe()
        assert math.isnan(rig.written[-1])
        assert rig.emulator.torque() == (True, True)


def test_an_effort_ends_where_the_ticks_stay_away():
    with Rig() as rig:
        rig.arm()
        rig.push(0.03)
        assert rig.written[-1] == 0.03
        rig.backend.let_time_pass(1.5 * DT)
        assert rig.written[-1] == 0.03
        rig.backend.let_time_pass(DT)  # by the bus's own clock
        assert math.isnan(rig.written[-1])


def test_what_is_applied_is_what_the_motor_can_do():
    with Rig() as rig:
        rig.arm()
        still = np.array([rig.start, NAN])
        for wanted, applied in ((9.0, 0.05), (-9.0, -0.05), (0.02, 0.02), (NAN, 0.0)):
            done = rig.backend.apply(JointCommand(still, np.zeros(2), np.array([NAN, wanted])))
            assert done.effort[1] == pytest.approx(applied)
            assert done.position[0] == pytest.approx(rig.start, abs=1e-3)


def test_the_emergency_stop_lets_go_of_both_until_a_reset_and_an_enable():
    with Rig() as rig:
        rig.arm()
        rig.spin(5.0)
        rig.runner.supervisor.estop()
        rig.runner.stop()
        assert rig.emulator.torque() == (False, False)
        assert rig.push(0.04)
        assert rig.emulator.torque() == (False, False)
        with pytest.raises(BackendFault):
            rig.runner.enable()
        rig.runner.reset()
        rig.arm()


@pytest.mark.parametrize(("fault", "words"), [("dead", "has not answered for 0.1"), ("hot", "INVERTER_OVER_TEMP")])
def test_a_fault_of_the_flywheel_stops_the_crank_too(fault, words):
    with Rig() as rig:
        rig.arm()
        rig.spin(5.0)
        rig.emulator.inject(fault, "flywheel")
        passed = 0
        while rig.push(0.04) and passed < 100:
            passed += 1
        assert words in rig.report.fault
        assert rig.report.joint == "flywheel"
        assert rig.emulator.torque() == (False, False)
        assert rig.runner.supervisor.motion is MotionState.FAULTED
        rig.emulator.inject("none")

        rig.backend.let_time_pass(0.5)  # a drive takes its time to start again
        rig.runner.reset()
        rig.arm()


@pytest.mark.parametrize(("kind", "own"), [("dynamixel", {"model": "XM430-W350", "id": 1}), ("pca9685", {"id": 1})])
def test_a_bus_that_takes_positions_only_is_refused_with_the_kind_that_is_needed(kind, own):
    spec = gymnast()
    section = copy.deepcopy(dict(spec.section("hardware")))
    section["buses"]["other"] = {"kind": kind}
    section["joints"]["flywheel"] = {"bus": "other", **own}
    spec = replace(spec, sections={**spec.sections, "hardware": section})
    with pytest.raises(UserError, match=r"flywheel is driven by effort.* on a bus of kind board or odrive"):
        HardwareBackend(spec, HardwareSettings(), DT)
