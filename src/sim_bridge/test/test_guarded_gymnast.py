"""The supervisor over a robot with a joint driven by effort: its limits, its stops and its faults."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from bridge_robots import DT, gymnast
from engines_here import each_engine, physics
from test_conformance import FakeTime

from crawler_core.errors import BackendFault
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.backend import Backend
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand
from sim_bridge.mock.mock_backend import MockBackend, MockSettings

each_kind = pytest.mark.parametrize("kind", ["mock", *each_engine.args[1]])
PACE = 6.0  # rad/s, of the crank
# the crank does not follow: on mock servos because it is dead, in physics because its servo is too soft for the leg
STUCK: dict[str, dict[str, Any]] = {"mock": {"fail": "dead_joint", "fail_after": 0.1, "fail_joint": "crank"}}
SOFT = {"actuation": "servo", "servo_stiffness": 1e-4, "servo_damping": 0.0}


class TimedMock(MockBackend):
    """A mock whose ticks take their time on a clock of the test's own."""

    def __init__(self, time: FakeTime, *given: Any) -> None:
        super().__init__(*given, clock=time.read, sleep=time.sleep)
        self._time = time

    def advance(self, dt: float) -> None:
        self._time.sleep(dt)


class Rig:
    """The guarded robot, which floats without weight; its crank is told to turn."""

    def __init__(self, kind: str, **settings: Any) -> None:
        self.spec = spec = gymnast(gravity=0.0)
        self.flywheel = spec.actuated[1]
        self._at = spec.joint_names.index("flywheel")
        time = FakeTime()
        backend: Backend
        if kind == "mock":
            own = MockSettings(**spec.section("backends")["mock"], **settings)
            backend = TimedMock(time, spec, own, DT)
        else:
            backend = physics(kind, spec, DT, **settings)
        self.runner = SupervisedBackend(
            backend, Supervisor(spec, DT), DT, make_loop_closure_solver(spec), clock=lambda: 1e-9 * time.read()
        )
        self.report = self.runner.supervisor.report
        self._turned = spec.actuated[0].home

    def __enter__(self) -> Rig:
        self.runner.open()
        self.runner.enable()
        return self

    def __exit__(self, *_: object) -> None:
        self.runner.close(release=True)

    def push(self, effort: float) -> float:
        """A tick in which the flywheel is commanded an effort; the one that it gets."""
        self._turned += PACE * DT
        none = math.nan
        command = JointCommand(np.array([self._turned, none]), np.array([PACE, none]), np.array([none, effort]))
        assert self.runner.tick(command)
        return float(self.runner.observation.effort[self._at])

    @property
    def motion(self) -> MotionState:
        return self.runner.supervisor.motion

    @property
    def speed(self) -> float:
        return float(self.runner.observation.velocity[self._at])

    def assert_latched(self, stop: MotionState) -> None:
        """Whoever commands on or enables changes nothing."""
        assert self.motion is stop
        with pytest.raises(BackendFault, match=f"the robot is {stop.value}"):
            self.runner.enable()
        for _ in range(20):
            assert self.push(0.01) == 0.0
        assert self.motion is stop

    def assert_goes_on_after_reset_and_enable(self) -> None:
        self.runner.reset()
        assert self.push(0.01) == 0.0
        assert self.motion is MotionState.DISABLED
        self.runner.enable()
        assert self.push(0.01) == pytest.approx(0.01, rel=1e-12)
        assert self.motion is MotionState.ACTIVE


@each_kind
def test_torque_and_power_are_clamped_and_reported(kind: str) -> None:
    with Rig(kind) as rig:
        flywheel = rig.flywheel
        assert rig.push(0.01) == 0.01
        assert rig.report.clamped == 0
        speed = rig.speed
        assert rig.push(-0.2) == -flywheel.effort
        assert rig.report.clamped == 1
        assert rig.report.last_clamp == "flywheel was commanded -0.2 N m, its limit is 0.05 N m"
        assert rig.speed < speed
        wanted = 0.8 * flywheel.effort
        while rig.speed * wanted <= flywheel.power:
            speed = rig.speed
            assert rig.push(wanted) == wanted
            assert rig.speed > speed
        assert rig.report.clamped == 1
        speed = rig.speed
        assert rig.push(wanted) == pytest.approx(flywheel.power / speed, rel=1e-12)
        assert rig.report.clamped == 2
        assert rig.report.last_clamp == f"flywheel was commanded 0.04 N m at {speed:.3g} rad/s, its limit is 0.5 W"


@each_kind
def test_the_emergency_stop_takes_the_effort_off_until_reset_and_enable(kind: str) -> None:
    with Rig(kind) as rig:
        assert rig.push(0.01) == 0.01
        rig.runner.supervisor.estop()
        assert rig.push(0.01) == 0.0
        rig.assert_latched(MotionState.ESTOPPED)
        rig.assert_goes_on_after_reset_and_enable()


@each_kind
def test_a_joint_that_does_not_follow_takes_the_effort_of_the_others_off_until_reset_and_enable(kind: str) -> None:
    with Rig(kind, **STUCK.get(kind, SOFT)) as rig:
        safety = rig.spec.safety
        # behind by the tolerance, for as long as is tolerated, after the mock's 0.1 s
        soon = round((0.1 + safety.tracking_tolerance / PACE + safety.tracking_time) / DT) + 50
        ticks = 0
        while rig.push(1e-3) == pytest.approx(1e-3):
            ticks += 1
            assert ticks < soon
        assert rig.report.joint == "crank"
        assert rig.report.fault.startswith("crank does not follow")
        rig.assert_latched(MotionState.FAULTED)
        rig.assert_goes_on_after_reset_and_enable()
