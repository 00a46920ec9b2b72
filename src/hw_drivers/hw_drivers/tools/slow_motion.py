"""Moving joints slowly from the command line, under the same supervisor that guards a crawl. No ROS."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.linkages.loop_closure_solver import closure_of
from crawler_core.loop.backend import Backend
from crawler_core.loop.pacer import Pacer
from crawler_core.loop.supervised_backend import Runner
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import Supervisor
from crawler_core.types import FloatArray, JointCommand, Observation
from hw_drivers.backend.hardware_map import BusMap

TICK_RATE_HZ = 100.0  # Hz
PEAK_TO_MEAN_SPEED = 1.875  # of the smooth motion's speed over its mean
SETTLING_TIME_S = 1.0  # s that the motors get to arrive


def placing(spec: RobotSpec, buses: Sequence[BusMap]) -> RobotSpec:
    """The robot, driven by position in every joint whose bus can do that: a slow motion has no law that would push."""
    able = {joint.joint for bus in buses if bus.kind.places for joint in bus.joints}
    return replace(spec, joints=tuple(replace(j, drive="position") if j.name in able else j for j in spec.joints))


@contextmanager
def guarded(spec: RobotSpec, make: Callable[[float], Backend]) -> Iterator[Runner]:
    """A guarded backend, open; `make` gets the tick (s). On every way out the torque goes off.

    Raises UserError and BackendFault as the backend does.
    """
    runner = Runner(
        make(1.0 / TICK_RATE_HZ), Supervisor(spec, 1.0 / TICK_RATE_HZ), 1.0 / TICK_RATE_HZ, closure_of(spec)
    )
    try:
        runner.open()
        yield runner
    finally:
        runner.close(release=True)


def check_goal(spec: RobotSpec, goal: Mapping[str, float], speed: float) -> None:
    """Raise UserError where a goal (rad) is outside its joint's limits, or the speed (rad/s) is no slow one."""
    by_name = {joint.name: joint for joint in spec.actuated}
    for name, angle in goal.items():
        joint = by_name[name]
        if joint.by_effort:
            raise UserError(f"{name} is driven by effort: it cannot be sent to an angle.")
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


def move(
    runner: Runner,
    spec: RobotSpec,
    goal: Mapping[str, float],
    speed: float,
    each: Callable[[Observation], None] = lambda seen: None,
) -> FloatArray:
    """Bring the joints of `goal` (rad) there at `speed` (rad/s), the others stay; returns all actuated angles.

    Raises BackendFault where the supervisor stops the motion.
    """
    runner.enable()
    start = runner.observation.position[spec.actuated_indices]
    away = np.array([goal.get(joint.name, q) - q for joint, q in zip(spec.actuated, start, strict=True)])
    ticks = max(1, math.ceil(PEAK_TO_MEAN_SPEED * float(np.abs(away).max()) / speed * TICK_RATE_HZ))
    pacer = Pacer(1.0)
    for k in range(1, ticks + round(SETTLING_TIME_S * TICK_RATE_HZ) + 1):
        u = min(k / ticks, 1.0)
        position = start + away * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        rate = away * 30.0 * (u * (1.0 - u)) ** 2 * TICK_RATE_HZ / ticks
        if not runner.tick(JointCommand(position, rate, np.full_like(start, np.nan))):
            raise fault_of(runner)
        each(runner.observation)
        pacer.wait(1.0 / TICK_RATE_HZ)
    if runner.supervisor.report.fault:
        raise fault_of(runner)
    return runner.observation.position[spec.actuated_indices]


def fault_of(runner: Runner) -> BackendFault:
    """What stopped the motion."""
    report = runner.supervisor.report
    return BackendFault(report.fault, remedy=report.remedy, joint=report.joint)
