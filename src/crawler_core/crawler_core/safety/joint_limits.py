"""Limits of the actuated joints, as arrays, and the functions that keep setpoints within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_core.types import FloatArray, JointCommand

# share of what the acceleration limit changes in a tick: how far a velocity may be from the mean over that tick
MAX_SPEED_SPREAD = 0.75


@dataclass(frozen=True)
class JointLimits:
    """Limits of joints, an entry for each."""

    lower: FloatArray  # rad
    upper: FloatArray  # rad
    velocity: FloatArray  # rad/s
    acceleration: FloatArray  # rad/s²

    @staticmethod
    def of(spec: RobotSpec) -> JointLimits:
        """Return the limits of the actuated joints of a robot."""
        return JointLimits.of_joints(spec.actuated)

    @staticmethod
    def of_joints(joints: Sequence[JointSpec]) -> JointLimits:
        return JointLimits(
            lower=np.array([joint.lower for joint in joints]),
            upper=np.array([joint.upper for joint in joints]),
            velocity=np.array([joint.velocity for joint in joints]),
            acceleration=np.array([joint.acceleration for joint in joints]),
        )


def limit_speed(command: JointCommand, previous: FloatArray, speed: FloatArray, dt: float) -> JointCommand:
    """Limit the speed of a command after the `previous` setpoints (rad) to `speed` (rad/s).

    Positions and velocities within the limits pass bit for bit. A velocity that is not given (NaN) becomes the one that
    the positions imply.
    """
    reach = speed * dt
    position = np.minimum(np.maximum(command.position, previous - reach), previous + reach)
    is_unchanged = np.isfinite(command.velocity) & (position == command.position)
    velocity = np.where(is_unchanged, command.velocity, (position - previous) / dt)
    return JointCommand(position, np.minimum(np.maximum(velocity, -speed), speed), command.effort)


def nearest_reachable(
    position: FloatArray,
    velocity: FloatArray,
    before: tuple[FloatArray, FloatArray, FloatArray],
    limits: JointLimits,
    dt: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the end of a tick that is nearest to `position` and `velocity` and keeps every limit.

    `before` are position, velocity, and mean velocity over the tick before. The mean velocity changes by no more than
    the acceleration allows, keeps the joint's speed, and leaves room to stop within the range by the same rule, so a
    next tick always exists. The range counts for more only where the joint cannot stop in it from the start.
    """
    start, start_velocity, mean = before
    change = limits.acceleration * dt
    moved = np.clip((position - start) / dt, mean - change, mean + change)
    down = np.minimum(limits.velocity, max_mean_speed(start - limits.lower, limits.acceleration, dt))
    up = np.minimum(limits.velocity, max_mean_speed(limits.upper - start, limits.acceleration, dt))
    moved = np.clip(moved, -down, up)
    speed = np.clip(velocity, start_velocity - change, start_velocity + change)
    spread = MAX_SPEED_SPREAD * change
    speed = np.clip(np.clip(speed, moved - spread, moved + spread), -limits.velocity, limits.velocity)
    return start + moved * dt, speed


def max_mean_speed(room: FloatArray, acceleration: FloatArray, dt: float) -> FloatArray:
    """Return the highest mean speed over a tick after which even braking, tick by tick, ends within `room` (rad)."""
    left = np.maximum(room, 0.0)
    # v over this tick, then v - a dt, v - 2 a dt, ...: at most (v - a dt / 2)² / 2a further on
    return np.where(
        left > 0.5 * acceleration * dt**2, np.sqrt(2.0 * acceleration * left) - 0.5 * acceleration * dt, left / dt
    )


def max_end_speed(room: FloatArray, speed: FloatArray, acceleration: FloatArray, dt: float) -> FloatArray:
    """Return the highest speed v at the end of a tick, begun with `speed`, with v² <= 2 a (the `room` left by then)."""
    a = acceleration
    return np.sqrt((0.5 * a * dt) ** 2 + 2.0 * a * np.maximum(room - 0.5 * speed * dt, 0.0)) - 0.5 * a * dt
