"""The robot, the backend and the tolerances of a conformance suite, and an open backend for each test."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar
from unittest import SkipTest

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.backend import Backend
from crawler_core.motion import ease
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray, JointCommand, Observation

TRAVEL_RAD = 0.1  # that the joints are moved by
MOVE_DURATION_S = 0.5


class ConformanceCase:
    """The backend under test. A subclass makes it, and gives tolerances where its device is less than ideal."""

    dt: ClassVar[float] = 0.005  # s, the tick
    tolerance: ClassVar[float] = 1e-6  # rad by which a setpoint may be missed
    settling: ClassVar[float] = 0.0  # s after a motion until the tolerance holds
    loop_tolerance: ClassVar[float] = 1e-12  # m by which a loop may be open; so little where the solver closes it
    effort_tolerance: ClassVar[float] = 1e-9  # N·m by which an effort that was applied may differ from the command
    speed_step: ClassVar[float] = 0.0  # rad/s by which speeds of coarse encoders step near rest
    home_tolerance: ClassVar[float] = 0.02  # rad by which a joint may start away from home
    waits_at_start: ClassVar[bool] = False  # a robot that starts with speed is held until its first command
    start_tolerance: ClassVar[float] = 1e-9  # m, m/s, rad/s by which a start may differ from the robot file

    def make_spec(self) -> RobotSpec:
        """Return the robot to test with."""
        raise NotImplementedError

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        """Return a new backend that is not open yet."""
        raise NotImplementedError

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        """Return a backend whose `open` fails, for instance without its device."""
        raise SkipTest("make_broken_backend is not overridden")

    def wait(self, seconds: float) -> None:
        """Let time pass for a backend that does not make it. Override where the device has a clock of its own."""
        time.sleep(seconds)


class OpenBackend:
    """A backend that is open during a `with` block, and the robot's motions for it."""

    def __init__(self, case: ConformanceCase) -> None:
        self._case = case
        self.spec = case.make_spec()
        self.solver = make_loop_closure_solver(self.spec)
        self.backend = case.make_backend(self.spec, case.dt)
        # places among the actuated joints
        self.position_joints = [k for k, joint in enumerate(self.spec.actuated) if not joint.is_effort_driven]
        self.effort_joints = [k for k, joint in enumerate(self.spec.actuated) if joint.is_effort_driven]
        self.indices = [self.spec.actuated_indices[k] for k in self.position_joints]

    def __enter__(self) -> OpenBackend:
        try:
            self.backend.open()
        except BaseException:
            self.backend.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.backend.close()

    def require_simulation(self, reason: str) -> None:
        """Skip the test on a real robot."""
        if not self.backend.simulated:
            raise SkipTest(reason)

    def observe(self) -> Observation:
        """Return the state, with loops completed where the backend does not know them, as the stack does."""
        seen = self.backend.observe()
        return seen if self.solver is None else self.solver.complete_observation(seen)

    def angles(self) -> FloatArray:
        """Return the angles (rad) of the position-driven joints."""
        return self.backend.observe().position[self.indices]

    def tick(self, command: JointCommand | None) -> Observation:
        """Let one tick pass, with a command or without."""
        if command is not None:
            self.backend.apply(command)
        self.backend.advance(self._case.dt)
        if not self.backend.simulated:
            self._case.wait(self._case.dt)
        return self.backend.observe()

    def move(self, each: Callable[[Observation], object] = lambda seen: None) -> FloatArray:
        """Move the position-driven joints smoothly by TRAVEL_RAD towards the middle of their range; return the goal."""
        if not self.position_joints:
            raise SkipTest("this robot has no joint that is driven by position")
        start = self.angles()
        joints = [self.spec.actuated[k] for k in self.position_joints]
        # NaN, the middle of an endless range, is not below any angle
        middles = [0.5 * (joint.lower + joint.upper) for joint in joints]
        travel = np.array([-TRAVEL_RAD if q > middle else TRAVEL_RAD for q, middle in zip(start, middles, strict=True)])
        ticks = round(MOVE_DURATION_S / self._case.dt)
        for k in range(1, ticks + 1):
            rise, slope, _ = ease(k / ticks, travel)
            each(self.tick(self.command(start + rise, slope / MOVE_DURATION_S)))
        goal = self.command(start + travel, np.zeros_like(start))
        for _ in range(round(self._case.settling / self._case.dt)):
            each(self.tick(goal))
        return start + travel

    def command(self, position: FloatArray, velocity: FloatArray) -> JointCommand:
        """Return a command for the position-driven joints only."""
        whole, rates, efforts = (np.full(len(self.spec.actuated), np.nan) for _ in range(3))
        whole[self.position_joints], rates[self.position_joints] = position, velocity
        return JointCommand(whole, rates, efforts)

    def hold_command(self) -> JointCommand:
        """Return the command by which position-driven joints stay where they are."""
        angles = self.angles()
        return self.command(angles, np.zeros_like(angles))

    def effort_command(self, share: float, only: int | None = None) -> JointCommand:
        """Return the same, with a share of the effort limit for effort-driven joints, or for one of them."""
        command = self.hold_command()
        for k in self.effort_joints:
            command.effort[k] = share * self.spec.actuated[k].effort if only in (None, k) else 0.0
        return command


def assert_rejected(call: Callable[[], object]) -> None:
    """Assert that a call raises UserError or BackendFault with a sentence."""
    message = ""
    try:
        call()
    except (UserError, BackendFault) as error:
        message = str(error)
    assert " " in message, f"this must raise UserError or BackendFault with a sentence, but gave {message!r}"
