"""Slow motions of single joints, under the same supervisor as a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from crawler_core.errors import UserError
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.backend import Backend
from crawler_core.loop.pacer import Pacer
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import Supervisor
from crawler_core.types import JointCommand
from hw_drivers.backend.hardware_map import BusMap

TICK_S = 0.01
PEAK_TO_MEAN_SPEED = 1.875  # of the smooth step
SETTLING_TIME_S = 1.0


def with_position_drives(spec: RobotSpec, buses: Sequence[BusMap]) -> RobotSpec:
    """Return the robot with position drives where the bus supports them: a slow motion has no law for efforts."""
    able = {joint.joint for bus in buses if bus.kind.supports_position for joint in bus.joints}
    return replace(
        spec, joints=tuple(replace(j, command_interface="position") if j.name in able else j for j in spec.joints)
    )


@contextmanager
def open_supervised(spec: RobotSpec, make: Callable[[float], Backend]) -> Iterator[SupervisedBackend]:
    """Open a supervised backend for the block; `make` gets the tick (s). The torque is off afterwards, always.

    Raises UserError and BackendFault.
    """
    supervised = SupervisedBackend(make(TICK_S), Supervisor(spec, TICK_S), TICK_S, make_loop_closure_solver(spec))
    try:
        supervised.open()
        yield supervised
    finally:
        supervised.close(release=True)


def check_goal(spec: RobotSpec, goal: Mapping[str, float], speed: float) -> None:
    """Raise UserError where a goal (rad) is outside its joint's limits, or the speed (rad/s) is too high."""
    by_name = {joint.name: joint for joint in spec.actuated}
    for name, angle in goal.items():
        joint = by_name[name]
        if joint.is_effort_driven:
            raise UserError(f"{name} cannot move to an angle: it is driven by effort. Move it by hand.")
        if not joint.lower <= angle <= joint.upper:
            raise UserError(
                f"{name} cannot go to {math.degrees(angle):.1f} degrees: its limits are "
                f"{math.degrees(joint.lower):.1f} to {math.degrees(joint.upper):.1f}."
            )
    if not 0.0 < speed <= spec.safety.approach_velocity:
        raise UserError(
            f"a speed of {math.degrees(speed):.1f} degrees per second is not allowed: give more than 0 and at most "
            f"{math.degrees(spec.safety.approach_velocity):.1f}, the robot's safety.approach_velocity."
        )


def move_joints(supervised: SupervisedBackend, spec: RobotSpec, goal: Mapping[str, float], speed: float) -> None:
    """Move the joints of `goal` (rad) at up to `speed` (rad/s) by a quintic smooth step; the others stay.

    Raises BackendFault where the supervisor stops the motion.
    """
    supervised.enable()
    start = supervised.observation.position[spec.actuated_indices]
    way = np.array([goal.get(joint.name, q) - q for joint, q in zip(spec.actuated, start, strict=True)])
    duration = PEAK_TO_MEAN_SPEED * float(np.abs(way).max()) / speed
    ticks = max(1, math.ceil(duration / TICK_S))
    pacer = Pacer(1.0)
    for k in range(1, ticks + round(SETTLING_TIME_S / TICK_S) + 1):
        u = min(k / ticks, 1.0)
        position = start + way * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        rate = way * 30.0 * (u * (1.0 - u)) ** 2 / (ticks * TICK_S)
        supervised.step(JointCommand(position, rate, np.full_like(start, np.nan)))
        pacer.wait(TICK_S)
