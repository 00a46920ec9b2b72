"""The smooth rules by which setpoints move on their own: braking to rest, and approaching a moving target.

The supervisor applies them to commands, the controller to the gait's reference.
"""

from __future__ import annotations

import numpy as np

from crawler_core.safety.joint_limits import JointLimits, max_end_speed
from crawler_core.types import FloatArray

JointMotion = tuple[FloatArray, FloatArray]  # rad, rad/s

# share of a joint's acceleration limit, for stopping and catching up: a foot on the ground stays there
BRAKING_SHARE = 0.125


def brake(position: FloatArray, velocity: FloatArray, limits: JointLimits, dt: float) -> JointMotion:
    """Return one tick of bringing the joints to rest inside their range; a joint outside of it stays there.

    Braking takes `BRAKING_SHARE` of the acceleration limit. A joint that would leave its range so takes what it needs,
    up to the limit.
    """
    speed = np.abs(velocity)
    room = np.where(velocity > 0.0, limits.upper - position, position - limits.lower)
    gentle = np.minimum(
        speed - BRAKING_SHARE * limits.acceleration * dt, max_end_speed(room, speed, limits.acceleration, dt)
    )
    slower = np.sign(velocity) * np.maximum(np.maximum(gentle, speed - limits.acceleration * dt), 0.0)
    moved = position + 0.5 * (velocity + slower) * dt
    lower, upper = np.minimum(limits.lower, position), np.maximum(limits.upper, position)  # no jump to the limit
    inside = np.minimum(np.maximum(moved, lower), upper)
    return inside, np.where(inside == moved, slower, 0.0)


def approach(
    position: FloatArray,
    velocity: FloatArray,
    now: JointMotion,
    ahead: JointMotion,
    limits: JointLimits,
    closing_speed: float,
    dt: float,
) -> JointMotion:
    """Return one tick towards a target that itself moves from `now` to `ahead`.

    Relative to the target, the joints come closer at no more than `closing_speed` (rad/s) and slow down in time: they
    add `BRAKING_SHARE` of the acceleration limit to the target's acceleration, and keep within the limit. Where that
    would leave the range they brake before its end.
    """
    strongest = BRAKING_SHARE * limits.acceleration
    error = position - now[0]
    closing = velocity - now[1]
    distance = np.abs(error)
    # the root leads to rest at half the acceleration; the last term ends it without overshoot in discrete time
    speed = np.minimum(np.minimum(closing_speed, np.sqrt(strongest * distance)), 0.5 * distance / dt)
    change = np.clip(-np.sign(error) * speed - closing, -strongest * dt, strongest * dt)
    up = max_end_speed(limits.upper - position, velocity, limits.acceleration, dt)
    down = max_end_speed(position - limits.lower, -velocity, limits.acceleration, dt)
    reached = np.clip(ahead[1] + closing + change, -np.minimum(limits.velocity, down), np.minimum(limits.velocity, up))
    reached = np.clip(reached, velocity - limits.acceleration * dt, velocity + limits.acceleration * dt)
    travel = ahead[0] - now[0] + 0.5 * (closing + reached - ahead[1]) * dt
    travel = np.where(np.abs(travel) <= limits.velocity * dt, travel, 0.5 * (velocity + reached) * dt)
    lower, upper = np.minimum(limits.lower, position), np.maximum(limits.upper, position)  # no jump to the limit
    return np.clip(position + travel, lower, upper), reached
