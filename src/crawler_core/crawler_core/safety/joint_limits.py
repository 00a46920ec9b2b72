"""Limits on joint setpoints, as pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_core.types import FloatArray, JointCommand

# of a joint's acceleration limit, for stopping and catching up: gentle enough that a foot on the ground stays there
BRAKING_SHARE = 0.125
# of what the acceleration limit changes in a tick: so far a velocity may be from the mean over the tick before it
APART = 0.75


@dataclass(frozen=True)
class JointLimits:
    """The limits of the actuated joints, as arrays."""

    lower: FloatArray  # rad
    upper: FloatArray  # rad
    velocity: FloatArray  # rad/s
    acceleration: FloatArray  # rad/s²

    @staticmethod
    def of(spec: RobotSpec) -> JointLimits:
        return JointLimits.of_joints(spec.actuated)

    @staticmethod
    def of_joints(joints: Sequence[JointSpec]) -> JointLimits:
        return JointLimits(
            lower=np.array([joint.lower for joint in joints]),
            upper=np.array([joint.upper for joint in joints]),
            velocity=np.array([joint.velocity for joint in joints]),
            acceleration=np.array([joint.acceleration for joint in joints]),
        )


def limit_command(
    wanted: JointCommand, previous: FloatArray, limits: JointLimits, velocity: FloatArray, dt: float
) -> tuple[JointCommand, bool]:
    """`wanted` within the position limits and within `velocity` of the `previous` setpoint; and whether it changed.

    A command inside the limits comes back bit for bit, so that limits cannot disturb a run that needs none. A velocity
    that is not given (NaN) becomes the one that the positions imply.
    """
    if _within(wanted, previous, limits, velocity, dt):
        return wanted, False
    reach = velocity * dt
    inside = np.minimum(np.maximum(wanted.position, limits.lower), limits.upper)
    position = np.minimum(np.maximum(inside, previous - reach), previous + reach)
    given = np.isfinite(wanted.velocity)
    changed = position != wanted.position
    implied = (position - previous) / dt
    speed = np.where(given & ~changed, wanted.velocity, implied)
    clipped = np.minimum(np.maximum(speed, -limits.velocity), limits.velocity)
    return JointCommand(position, clipped, wanted.effort), bool(changed.any() or (clipped != speed).any())


def _within(wanted: JointCommand, previous: FloatArray, limits: JointLimits, velocity: FloatArray, dt: float) -> bool:
    """Whether nothing needs to change. Asked at every tick: with so few joints, floats are quicker than arrays."""
    rows = zip(
        wanted.position.tolist(),
        wanted.velocity.tolist(),
        previous.tolist(),
        limits.lower.tolist(),
        limits.upper.tolist(),
        limits.velocity.tolist(),
        velocity.tolist(),
        strict=True,
    )
    return all(
        lower <= p <= upper and before - speed * dt <= p <= before + speed * dt and abs(v) <= most and math.isfinite(v)
        for p, v, before, lower, upper, most, speed in rows
    )


def brake(position: FloatArray, velocity: FloatArray, limits: JointLimits, dt: float) -> tuple[FloatArray, FloatArray]:
    """One tick of bringing the joints to rest inside the position limits; one that is outside stays there.

    It is gentle, but for a joint that would pass its limit so: that one takes as much of its acceleration as it needs.
    """
    speed = np.abs(velocity)
    room = np.where(velocity > 0.0, limits.upper - position, position - limits.lower)
    gentle = np.minimum(speed - BRAKING_SHARE * limits.acceleration * dt, _stoppable(room, speed, limits, dt))
    slower = np.sign(velocity) * np.maximum(np.maximum(gentle, speed - limits.acceleration * dt), 0.0)
    moved = position + 0.5 * (velocity + slower) * dt
    lower, upper = np.minimum(limits.lower, position), np.maximum(limits.upper, position)  # no jump to the limit
    inside = np.minimum(np.maximum(moved, lower), upper)
    return inside, np.where(inside == moved, slower, 0.0)


def approach(
    position: FloatArray,
    velocity: FloatArray,
    now: tuple[FloatArray, FloatArray],
    ahead: tuple[FloatArray, FloatArray],
    limits: JointLimits,
    closing_speed: float,
    dt: float,
) -> tuple[FloatArray, FloatArray]:
    """One tick towards a reference that itself moves from `now` to `ahead`, each position and velocity.

    Seen from the reference, the joints come closer at no more than `closing_speed`, and slow down in time: their
    acceleration is that of the reference and `GENTLE` of their limit on top, within that limit. Where that would carry
    them beyond a limit of their position they brake before it.
    """
    strongest = BRAKING_SHARE * limits.acceleration
    gap = position - now[0]
    closing = velocity - now[1]
    distance = np.abs(gap)
    # the root leads to rest at half the acceleration; the last term ends it without overshoot in discrete time
    speed = np.minimum(np.minimum(closing_speed, np.sqrt(strongest * distance)), 0.5 * distance / dt)
    change = np.clip(-np.sign(gap) * speed - closing, -strongest * dt, strongest * dt)
    fastest_up = np.minimum(limits.velocity, _stoppable(limits.upper - position, velocity, limits, dt))
    fastest_down = np.minimum(limits.velocity, _stoppable(position - limits.lower, -velocity, limits, dt))
    reached = np.clip(ahead[1] + closing + change, -fastest_down, fastest_up)
    reached = np.clip(reached, velocity - limits.acceleration * dt, velocity + limits.acceleration * dt)
    travel = ahead[0] - now[0] + 0.5 * (closing + reached - ahead[1]) * dt
    travel = np.where(np.abs(travel) <= limits.velocity * dt, travel, 0.5 * (velocity + reached) * dt)
    lower, upper = np.minimum(limits.lower, position), np.maximum(limits.upper, position)  # no jump to the limit
    return np.clip(position + travel, lower, upper), reached


def reachable(
    position: FloatArray,
    velocity: FloatArray,
    before: tuple[FloatArray, FloatArray, FloatArray],
    limits: JointLimits,
    dt: float,
) -> tuple[FloatArray, FloatArray]:
    """What a tick may end with that is nearest to `position` and `velocity`, for any joint and whatever came before.

    `before` are position, velocity, and mean velocity over the tick before. The mean velocity changes by no more than
    the acceleration allows, keeps the joint's speed, and leaves room to stop in the range by the same rule; so there
    is always a next one. Only where there is no such way to stop from the start does the range count for more.
    """
    was, rate, mean = before
    change = limits.acceleration * dt
    moved = np.clip((position - was) / dt, mean - change, mean + change)
    down = np.minimum(limits.velocity, fastest(was - limits.lower, limits.acceleration, dt))
    up = np.minimum(limits.velocity, fastest(limits.upper - was, limits.acceleration, dt))
    moved = np.clip(moved, -down, up)
    speed = np.clip(velocity, rate - change, rate + change)
    apart = APART * change
    speed = np.clip(np.clip(speed, moved - apart, moved + apart), -limits.velocity, limits.velocity)
    return was + moved * dt, speed


def fastest(room: FloatArray, acceleration: FloatArray, dt: float) -> FloatArray:
    """The highest mean velocity over a tick after which ticks that brake evenly still end within `room` (rad)."""
    left = np.maximum(room, 0.0)
    # v over this tick, then v - a dt, v - 2 a dt, ...: at most (v - a dt / 2)² / 2a further on
    return np.where(
        left > 0.5 * acceleration * dt**2, np.sqrt(2.0 * acceleration * left) - 0.5 * acceleration * dt, left / dt
    )


def _stoppable(room: FloatArray, speed: FloatArray, limits: JointLimits, dt: float) -> FloatArray:
    """The highest speed v at the end of this tick with v² <= 2 a (the room left by then)."""
    a = limits.acceleration
    return np.sqrt((0.5 * a * dt) ** 2 + 2.0 * a * np.maximum(room - 0.5 * speed * dt, 0.0)) - 0.5 * a * dt
