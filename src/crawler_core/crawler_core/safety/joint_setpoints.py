"""Setpoints of position-driven joints: where they are, and what the limits allow one tick later.

The limits hold from one setpoint to the next, after any interruption too. A command within the limits passes bit for
bit. One that the limits of velocity and acceleration do not allow is approached.

Setpoints are lists of floats, which are quicker than arrays for so few joints; an approach computes in arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crawler_core.robot.robot_spec import JointSpec
from crawler_core.safety.approach import JointMotion, approach, brake
from crawler_core.safety.joint_limits import JointLimits, nearest_reachable
from crawler_core.types import FloatArray

MAX_END_CHANGE = 0.02  # share of the acceleration limit that the last tick of an approach may take
LIMIT_TOLERANCE = 1e-6  # relative: a motion at a limit may be beyond it by so much, for rounding
RANGE_TOLERANCE_RAD = 1e-9  # beyond the end of the range, for rounding


class LimitedSetpoints(NamedTuple):
    """The setpoints of one tick, and why they differ from the command; the reason is empty where they do not."""

    position: list[float]  # rad
    velocity: list[float]  # rad/s
    reason: str = ""


@dataclass
class _Approach:
    """Joints that have not caught up with their commands yet, and the command of the tick before."""

    joints: NDArray[np.bool_]
    last_target: JointMotion | None = None
    after_braking: bool = False  # the joints braked in the tick before, so that a command ahead of them is reported


class _ReachLimits(NamedTuple):
    """The limits of one joint over one tick, with their tolerances."""

    lower: float  # rad
    upper: float  # rad
    speed: float  # rad/s
    change: float  # rad/s
    braking: float  # rad/s², twice the acceleration limit


class JointSetpoints:
    """Setpoints of `joints`, in this order. Commands are for the same joints."""

    def __init__(self, joints: Sequence[JointSpec], approach_velocity: float, dt: float) -> None:
        self.position = [joint.home for joint in joints]
        self.velocity = [0.0] * len(joints)
        self._mean_velocity = [0.0] * len(joints)  # rad/s, over the last tick
        self._acceleration = [0.0] * len(joints)  # rad/s², of the last command
        self._joints = tuple(joints)
        self._approach_velocity = approach_velocity
        self._dt = dt
        self._limits = JointLimits.of_joints(joints)
        more = 1.0 + LIMIT_TOLERANCE
        self._reach_limits = [
            _ReachLimits(
                joint.lower,
                joint.upper,
                more * joint.velocity,
                more * joint.acceleration * dt,
                2.0 * joint.acceleration,
            )
            for joint in joints
        ]
        self._full_turn = np.array([math.tau if joint.continuous else math.inf for joint in joints])
        self._skipped_turns: list[float] | None = None  # rad that commands are ahead of continuous joints
        self._approach: _Approach | None = self._approach_of_all()  # None: every joint is where it is commanded

    @property
    def at_rest(self) -> bool:
        """True while all joints stand still."""
        return not any(self.velocity)

    def start(self, position: Sequence[float], velocity: Sequence[float]) -> None:
        """Continue from the measured motion, an unknown velocity (NaN) as rest. The next command is approached."""
        limited = zip(velocity, self._joints, strict=True)
        self.position = list(position)
        self.velocity = [min(max(v, -j.velocity), j.velocity) if math.isfinite(v) else 0.0 for v, j in limited]
        self._mean_velocity = self.velocity
        self._acceleration = [0.0] * len(self.position)
        self._approach = self._approach_of_all()

    def follow(self, position: list[float], velocity: list[float]) -> LimitedSetpoints:
        """Take one tick after a command. A velocity that is not given (NaN) is the one that the positions imply."""
        if self._approach is None:
            target = self._without_skipped_turns(position)
            rates = self._with_implied_rates(target, velocity)
            if not any(self._out_of_reach(target, rates)):
                return self._follow_to(target, rates)
        return self._approach_command(np.array(position), np.array(velocity))

    def coast(self) -> LimitedSetpoints:
        """Take one tick without a command: continue with the last acceleration, or brake where a limit is ahead.

        The next command is approached unless it is where that has led.
        """
        dt = self._dt
        velocity = [v + a * dt for v, a in zip(self.velocity, self._acceleration, strict=True)]
        rows = zip(self.position, self.velocity, velocity, strict=True)
        position = [p + 0.5 * (v0 + v) * dt for p, v0, v in rows]
        if any(self._out_of_reach(position, velocity)):
            return self.brake()
        if self._approach is None:
            self._approach = self._approach_of_all()
        elif self._approach.last_target is not None:  # which has moved on meanwhile
            target, rate = self._approach.last_target
            self._approach.last_target = target + rate * dt, rate
            self._approach.joints = np.ones(len(self._joints), dtype=bool)
        return self._move_to(position, velocity)

    def brake(self) -> LimitedSetpoints:
        """Take one tick towards rest. The next command is approached."""
        self._approach = self._approach_of_all(after_braking=True)
        return self._move_to(*self._reachable(*brake(*self._motion(), self._limits, self._dt)))

    def _approach_of_all(self, after_braking: bool = False) -> _Approach:
        return _Approach(np.ones(len(self._joints), dtype=bool), after_braking=after_braking)

    def _motion(self) -> JointMotion:
        return np.array(self.position), np.array(self.velocity)

    def _follow_to(self, position: list[float], velocity: list[float], reason: str = "") -> LimitedSetpoints:
        """Move to a command, and remember its acceleration for a tick without one."""
        self._acceleration = [(v - v0) / self._dt for v, v0 in zip(velocity, self.velocity, strict=True)]
        return self._move_to(position, velocity, reason)

    def _move_to(self, position: list[float], velocity: list[float], reason: str = "") -> LimitedSetpoints:
        self._mean_velocity = [(p - p0) / self._dt for p, p0 in zip(position, self.position, strict=True)]
        self.position, self.velocity = position, velocity
        return LimitedSetpoints(position, velocity, reason)

    def _with_implied_rates(self, position: list[float], velocity: list[float]) -> list[float]:
        if all(map(math.isfinite, velocity)):
            return velocity
        rows = zip(position, self.position, velocity, strict=True)
        return [v if math.isfinite(v) else (p - p0) / self._dt for p, p0, v in rows]

    def _out_of_reach(self, position: list[float], velocity: list[float]) -> list[bool]:
        """Return for each joint whether a tick that ends so breaks a limit, or leaves no room to brake before one."""
        dt, out = self._dt, []
        rows = zip(
            self._reach_limits,
            position,
            velocity,
            self.position,
            self.velocity,
            self._mean_velocity,
            strict=True,
        )
        for (lower, upper, speed, change, braking), p, v, p0, v0, mean0 in rows:
            mean = (p - p0) / dt
            room = upper - p if mean > 0.0 else p - lower
            end = max(0.0, abs(mean) - 0.5 * change)  # rad/s, from which even braking goes on after the tick
            out.append(
                not (
                    lower <= p <= upper
                    and abs(mean) <= speed
                    and abs(v) <= speed
                    and abs(mean - mean0) <= change
                    and abs(v - v0) <= change
                    and abs(mean - 0.5 * (v0 + v)) <= 0.25 * change  # position and velocity are of one motion
                    and end * end <= braking * (room + RANGE_TOLERANCE_RAD)
                )
            )
        return out

    def _reachable(self, position: FloatArray, velocity: FloatArray) -> tuple[list[float], list[float]]:
        """Return the motion, with the nearest allowed one in place of it for joints that would break a limit."""
        out = np.array(self._out_of_reach(position.tolist(), velocity.tolist()), dtype=bool)
        if out.any():
            before = (*self._motion(), np.array(self._mean_velocity))
            allowed = nearest_reachable(position, velocity, before, self._limits, self._dt)
            position, velocity = np.where(out, allowed[0], position), np.where(out, allowed[1], velocity)
        return position.tolist(), velocity.tolist()

    def _without_skipped_turns(self, position: list[float]) -> list[float]:
        if self._skipped_turns is None:
            return position
        return [p - skipped for p, skipped in zip(position, self._skipped_turns, strict=True)]

    def _skip_turns(self, position: FloatArray) -> None:
        """Skip the full turns by which a command is ahead of continuous joints that had been stopped."""
        turns = np.rint((position - np.array(self.position)) / self._full_turn)
        self._skipped_turns = (turns * math.tau).tolist() if turns.any() else None

    def _approach_command(self, position: FloatArray, velocity: FloatArray) -> LimitedSetpoints:
        """Take one tick towards a command that not every joint can have at once."""
        now = self._approach or _Approach(np.zeros(len(self._joints), dtype=bool))
        if self._approach is not None and now.last_target is None:
            self._skip_turns(position)
        target, rates, reason = self._inside_limits(position, velocity)
        out = self._are_out_of_reach(target, rates)
        jumped = out & (now.after_braking | ~now.joints | self._has_jumped(now, target))
        now.after_braking = False
        if jumped.any():
            reason = reason or self._jump_reason(target, int(np.argmax(jumped)))
            now.joints, now.last_target = now.joints | jumped, None
            self._skip_turns(position)
            target, rates, _ = self._inside_limits(position, velocity)
            out = self._are_out_of_reach(target, rates)
        moved = self._catch_up(now, target, rates, out)
        self._approach = now if now.joints.any() else None
        return self._follow_to(*self._reachable(*moved), reason)

    def _are_out_of_reach(self, position: FloatArray, velocity: FloatArray) -> NDArray[np.bool_]:
        target = position.tolist()
        return np.array(self._out_of_reach(target, self._with_implied_rates(target, velocity.tolist())), dtype=bool)

    def _has_jumped(self, now: _Approach, target: FloatArray) -> NDArray[np.bool_]:
        """Return for each joint whether its target is further from the one before than the joint could go."""
        if now.last_target is None:
            return np.zeros(len(target), dtype=bool)
        reach = (1.0 + LIMIT_TOLERANCE) * self._limits.velocity * self._dt
        return np.abs(target - now.last_target[0]) > reach

    def _inside_limits(self, position: FloatArray, velocity: FloatArray) -> tuple[FloatArray, FloatArray, str]:
        """Return the command without skipped turns, within position and velocity limits, and what was outside."""
        limits = self._limits
        if self._skipped_turns is not None:
            position = position - np.array(self._skipped_turns)
        above, below, fast = position > limits.upper, position < limits.lower, np.abs(velocity) > limits.velocity
        outside = above | below
        if not (outside.any() or fast.any()):
            return position, velocity, ""
        slow = np.minimum(np.maximum(velocity, -limits.velocity), limits.velocity)
        slow = np.where(above, np.minimum(slow, 0.0), np.where(below, np.maximum(slow, 0.0), slow))
        inside = np.minimum(np.maximum(position, limits.lower), limits.upper)
        i = int(np.argmax(outside if outside.any() else fast))
        joint = self._joints[i]
        if not outside[i]:
            return inside, slow, f"{joint.name} was commanded faster than {joint.velocity:g} rad/s"
        return (
            inside,
            slow,
            f"{joint.name} was commanded to {np.degrees(position[i]):.1f} degrees, outside "
            f"{np.degrees(joint.lower):.1f} to {np.degrees(joint.upper):.1f}",
        )

    def _jump_reason(self, target: FloatArray, i: int) -> str:
        joint = self._joints[i]
        is_too_fast = abs(target[i] - self.position[i]) > joint.velocity * self._dt
        limit = f"{joint.velocity:g} rad/s" if is_too_fast else f"{joint.acceleration:g} rad/s² allow"
        return f"{joint.name} was commanded faster than {limit}: it is brought there gently"

    def _catch_up(
        self, now: _Approach, target: FloatArray, velocity: FloatArray, out: NDArray[np.bool_]
    ) -> JointMotion:
        """Return the command for joints that have caught up with theirs, and one tick of approach for the others."""
        limits, dt = self._limits, self._dt
        q, v = self._motion()
        before, rate = self._target_before(now, target, velocity)
        now.last_target = target, rate
        end_change = MAX_END_CHANGE * limits.acceleration * dt
        speed = np.minimum(limits.velocity, np.abs(rate) + self._approach_velocity)
        now.joints = now.joints & ~(
            ~out
            & (np.abs(q - before[0]) <= end_change * dt)
            & (np.abs(v - before[1]) <= end_change)
            & (np.abs(q - target) <= speed * dt)
        )
        rates = np.where(np.isfinite(velocity), velocity, (target - q) / dt)
        if not now.joints.any():
            return target, rates
        nearer = approach(q, v, before, (target, rate), limits, self._approach_velocity, dt)
        return np.where(now.joints, nearer[0], target), np.where(now.joints, nearer[1], rates)

    def _target_before(
        self, now: _Approach, target: FloatArray, velocity: FloatArray
    ) -> tuple[JointMotion, FloatArray]:
        """Return where and how fast the target was a tick ago, and how fast it is now.

        It was where the last command was, if a joint could go from there to this one; otherwise it moves evenly.
        """
        limits, dt, last = self._limits, self._dt, now.last_target
        moved = np.zeros_like(target) if last is None else (target - last[0]) / dt
        rate = np.where(np.isfinite(velocity), velocity, moved)
        rate = np.minimum(np.maximum(rate, -limits.velocity), limits.velocity)
        evenly = (target - rate * dt, rate)
        if last is None:
            return evenly, rate
        change = (1.0 + LIMIT_TOLERANCE) * limits.acceleration * dt
        is_one_motion = (np.abs(rate - last[1]) <= change) & (np.abs(moved - 0.5 * (last[1] + rate)) <= 0.25 * change)
        return (np.where(is_one_motion, last[0], evenly[0]), np.where(is_one_motion, last[1], evenly[1])), rate
