"""The setpoints of the joints that are driven by position: where they are, and where they may be one tick later.

Limits hold from one setpoint to the next, whatever came between. A command that cannot be reached within the limits of
velocity and acceleration, as after some that stayed away, is approached; one inside them passes bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crawler_core.robot.robot_spec import JointSpec
from crawler_core.safety.joint_limits import JointLimits, approach, brake, reachable
from crawler_core.types import FloatArray, JointCommand

Moving = tuple[FloatArray, FloatArray]  # rad, rad/s

ABRUPT = 0.02  # of a joint's acceleration limit: an approach does not end with a tick that takes more
SLACK = 1e-6  # relative: by so much a motion at a limit may be beyond it for rounding
CREEP = 1e-9  # rad from the end of the range that do not count


class JointSetpoints:
    """Of joints in this order. Commands are for the same joints; their efforts pass."""

    def __init__(self, joints: Sequence[JointSpec], approach_velocity: float, dt: float) -> None:
        self.position: FloatArray = np.array([joint.home for joint in joints])
        self.velocity: FloatArray = np.zeros(len(joints))
        self._mean: FloatArray = np.zeros(len(joints))  # rad/s, over the last tick
        self._acceleration: FloatArray = np.zeros(len(joints))
        self._joints = tuple(joints)
        self._closing = approach_velocity
        self._dt = dt
        self._limits = JointLimits.of_joints(joints)
        more = 1.0 + SLACK
        self._rows = [  # as floats, which for so few joints are quicker than arrays
            (joint.lower, joint.upper, more * joint.velocity, more * joint.acceleration * dt, 2.0 * joint.acceleration)
            for joint in joints
        ]
        self._no_effort = np.full(len(joints), np.nan)
        self._whole_turn = np.array([math.tau if joint.continuous else math.inf for joint in joints])
        self._skipped: FloatArray | None = None  # rad, whole turns that commands are ahead of joints that turn for ever
        self._approaching = np.ones(len(joints), dtype=bool)  # joints that are still far from their command
        self._asked: Moving | None = None  # the last command of an approach
        self._braked = False  # in the last tick: commands that have run away meanwhile are said

    @property
    def at_rest(self) -> bool:
        """Whether all stand still."""
        return not self.velocity.any()

    def start(self, position: FloatArray, velocity: FloatArray) -> None:
        """Go on as measured, from an unknown velocity (NaN) at rest; what is commanded next is approached."""
        self.position = position.copy()
        most = self._limits.velocity
        self.velocity = np.clip(np.where(np.isfinite(velocity), velocity, 0.0), -most, most)
        self._mean = self.velocity
        self._acceleration = np.zeros_like(self.position)
        self._begin_approach()
        self._braked = False

    def _begin_approach(self) -> None:
        """Commands may be anywhere from now on: they are caught up with gently."""
        self._approaching = np.ones_like(self._approaching)
        self._asked = None

    def follow(self, asked: JointCommand) -> tuple[JointCommand, str]:
        """One tick after a command of finite positions, and why a joint does not get what it was commanded.

        A velocity that is not given (NaN) is the one that the positions imply.
        """
        command = self._nearest_turn(asked)
        safe, text = self._with_velocities(command), ""
        if self._approaching.any() or any(self._out_of_reach(safe)):
            safe, text = self._led(asked, command)
            safe = self._reachable(safe)
        self._acceleration = (safe.velocity - self.velocity) / self._dt
        self._move_to(safe.position, safe.velocity)
        return safe, text

    def coast(self) -> JointCommand:
        """One tick on as they were; where that would lead beyond a limit they brake.

        What is commanded next is approached, unless it is where that led.
        """
        velocity = self.velocity + self._acceleration * self._dt
        position = self.position + 0.5 * (self.velocity + velocity) * self._dt
        onward = JointCommand(position, velocity, self._no_effort)
        if any(self._out_of_reach(onward)):
            return self.brake()
        if not self._approaching.any():
            self._begin_approach()
        elif self._asked is not None:  # what would have been commanded by now
            asked, rate = self._asked
            self._asked = asked + rate * self._dt, rate
            self._approaching = np.ones_like(self._approaching)
        self._move_to(position, velocity)
        return onward

    def brake(self) -> JointCommand:
        """One tick towards rest, then none; what is commanded next is approached."""
        self._begin_approach()
        self._braked = True
        slower = brake(self.position, self.velocity, self._limits, self._dt)
        safe = self._reachable(JointCommand(*slower, self._no_effort))
        self._move_to(safe.position, safe.velocity)
        return safe

    def _reachable(self, command: JointCommand) -> JointCommand:
        """The nearest that keeps the limits, of the joints that would break one."""
        far = np.array(self._out_of_reach(command), dtype=bool)
        if not far.any():
            return command
        before = self.position, self.velocity, self._mean
        position, velocity = reachable(command.position, command.velocity, before, self._limits, self._dt)
        return JointCommand(
            np.where(far, position, command.position), np.where(far, velocity, command.velocity), command.effort
        )

    def _move_to(self, position: FloatArray, velocity: FloatArray) -> None:
        self._mean = (position - self.position) / self._dt
        self.position, self.velocity = position, velocity

    def _with_velocities(self, command: JointCommand) -> JointCommand:
        given = np.isfinite(command.velocity)
        if given.all():
            return command
        implied = (command.position - self.position) / self._dt
        return JointCommand(command.position, np.where(given, command.velocity, implied), command.effort)

    def _nearest_turn(self, command: JointCommand) -> JointCommand:
        """The command, with whole turns taken off that a continuous joint has missed while it was stopped."""
        if self._asked is None and self._approaching.any():  # an approach begins
            turns = np.rint((command.position - self.position) / self._whole_turn)
            self._skipped = turns * math.tau if turns.any() else None
        if self._skipped is None:
            return command
        return JointCommand(command.position - self._skipped, command.velocity, command.effort)

    def _out_of_reach(self, command: JointCommand) -> list[bool]:
        """Of each joint, whether a tick that ends so would break a limit, or leave no room to brake before one."""
        dt, far = self._dt, []
        rows = zip(
            self._rows,
            command.position.tolist(),
            command.velocity.tolist(),
            self.position.tolist(),
            self.velocity.tolist(),
            self._mean.tolist(),
            strict=True,
        )
        for (lower, upper, fastest, change, braking), p, v, p0, v0, mean0 in rows:
            mean = (p - p0) / dt
            room = upper - p if mean > 0.0 else p - lower
            end = max(0.0, abs(mean) - 0.5 * change)  # rad/s, with which braking evenly goes on from the tick's end
            far.append(
                not (
                    lower <= p <= upper
                    and abs(mean) <= fastest
                    and abs(v) <= fastest
                    and abs(mean - mean0) <= change
                    and abs(v - v0) <= change
                    and abs(mean - 0.5 * (v0 + v)) <= 0.25 * change  # position and velocity are of one motion
                    and end * end <= braking * (room + CREEP)
                )
            )
        return far

    def _led(self, asked: JointCommand, command: JointCommand) -> tuple[JointCommand, str]:
        """The tick towards a command that not every joint can have at once."""
        inside, text = self._inside(command)
        far = np.array(self._out_of_reach(self._with_velocities(inside)), dtype=bool)
        jumped = far & (self._braked | ~self._approaching | self._leaps(inside))
        self._braked = False
        if jumped.any():
            text = text or self._jump_text(inside, int(np.argmax(jumped)))
            self._approaching = self._approaching | jumped
            self._asked = None
            inside, _ = self._inside(self._nearest_turn(asked))
            far = np.array(self._out_of_reach(self._with_velocities(inside)), dtype=bool)
        return self._nearer(inside, far), text

    def _leaps(self, command: JointCommand) -> NDArray[np.bool_]:
        """Of each joint, whether the command that it is led to is further from the one before than it could go."""
        if self._asked is None:
            return np.zeros_like(self._approaching)
        return np.abs(command.position - self._asked[0]) > (1.0 + SLACK) * self._limits.velocity * self._dt

    def _inside(self, command: JointCommand) -> tuple[JointCommand, str]:
        """The command within the limits of position and velocity, and what was outside."""
        limits = self._limits
        above, below = command.position > limits.upper, command.position < limits.lower
        fast = np.abs(command.velocity) > limits.velocity
        if not (above.any() or below.any() or fast.any()):
            return command, ""
        velocity = np.minimum(np.maximum(command.velocity, -limits.velocity), limits.velocity)
        velocity = np.where(above, np.minimum(velocity, 0.0), np.where(below, np.maximum(velocity, 0.0), velocity))
        position = np.minimum(np.maximum(command.position, limits.lower), limits.upper)
        inside = JointCommand(position, velocity, command.effort)
        outside = above | below
        i = int(np.argmax(outside if outside.any() else fast))
        joint = self._joints[i]
        if not outside[i]:
            return inside, f"{joint.name} was commanded faster than {joint.velocity:g} rad/s"
        return inside, (
            f"{joint.name} was commanded to {np.degrees(command.position[i]):.1f} degrees, outside "
            f"{np.degrees(joint.lower):.1f} to {np.degrees(joint.upper):.1f}"
        )

    def _jump_text(self, command: JointCommand, i: int) -> str:
        joint = self._joints[i]
        faster = abs(command.position[i] - self.position[i]) > joint.velocity * self._dt
        most = f"{joint.velocity:g} rad/s" if faster else f"{joint.acceleration:g} rad/s² allow"
        return f"{joint.name} was commanded faster than {most}: it is brought there gently"

    def _nearer(self, command: JointCommand, far: NDArray[np.bool_]) -> JointCommand:
        """The command for joints that have come up with theirs, something gentle for the others."""
        limits, dt = self._limits, self._dt
        now, rate = self._origin(command)
        most = ABRUPT * limits.acceleration * dt
        speed = np.minimum(limits.velocity, np.abs(rate) + self._closing)
        caught = (
            ~far
            & (np.abs(self.position - now[0]) <= most * dt)
            & (np.abs(self.velocity - now[1]) <= most)
            & (np.abs(self.position - command.position) <= speed * dt)
        )
        approaching = self._approaching = self._approaching & ~caught
        whole = self._with_velocities(command)
        if not approaching.any():
            return whole
        position, velocity = approach(
            self.position, self.velocity, now, (command.position, rate), limits, self._closing, dt
        )
        return JointCommand(
            np.where(approaching, position, whole.position),
            np.where(approaching, velocity, whole.velocity),
            command.effort,
        )

    def _origin(self, command: JointCommand) -> tuple[Moving, FloatArray]:
        """Where what is commanded was a tick ago and how fast, and how fast it is now.

        That is the command before, where a joint could go from there to this one; otherwise it moves evenly.
        """
        limits, dt = self._limits, self._dt
        asked = self._asked
        moved = np.zeros_like(command.position) if asked is None else (command.position - asked[0]) / dt
        rate = np.where(np.isfinite(command.velocity), command.velocity, moved)
        rate = np.minimum(np.maximum(rate, -limits.velocity), limits.velocity)
        self._asked = (command.position, rate)
        evenly = (command.position - rate * dt, rate)
        if asked is None:
            return evenly, rate
        change = (1.0 + SLACK) * limits.acceleration * dt
        one = (np.abs(rate - asked[1]) <= change) & (np.abs(moved - 0.5 * (asked[1] + rate)) <= 0.25 * change)
        return (np.where(one, asked[0], evenly[0]), np.where(one, asked[1], evenly[1])), rate
