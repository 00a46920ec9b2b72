"""The motors of all joints: delay, lag, torque limit and gear friction between a command and its joint."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from crawler_core.reality.reality import Reality
from crawler_core.reality.servo_loop import follow_setpoint
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray, JointCommand

MAX_STEP_S = 1e-3  # of a motor's equations
FRICTION_SPEED_SHARE = 0.05  # of a joint's limit; below it friction is smooth, so that a tick cannot reverse a joint


class JointMotors:
    """Position-driven joints follow with a critically damped loop, effort-driven ones with a first-order lag.

    A motor sees its setpoint as a bus delivers it, constant from one command to the next, or interpolates between two.
    The solution over a step is exact, so that it does not depend on the tick.
    """

    def __init__(self, spec: RobotSpec, reality: Reality, dt: float) -> None:
        """`dt` is the tick in s."""
        self._reality = reality
        self._dt = dt
        self._by_effort = np.array([joint.is_effort_driven for joint in spec.actuated])
        self._limit = np.array([reality.torque_share * joint.effort for joint in spec.actuated])
        self._friction_speed = np.array([FRICTION_SPEED_SHARE * joint.velocity for joint in spec.actuated])
        self._steps = max(1, math.ceil(dt / MAX_STEP_S - 1e-9))
        self._step = dt / self._steps
        self._delay_steps = round(reality.command_delay / self._step)

    def start(self, angle: FloatArray, rate: FloatArray) -> None:
        """Begin at the joints' true angles (rad) and rates (rad/s), without torque."""
        self._angle, self._rate = angle.copy(), np.where(self._by_effort, 0.0, rate)
        self._torque = np.zeros_like(angle)
        at_rest = (angle.copy(), np.zeros_like(angle), np.where(self._by_effort, 0.0, np.nan))
        self._under_way: deque[tuple[FloatArray, FloatArray, FloatArray]] = deque([at_rest] * self._delay_steps)
        self._latest = self._before = at_rest

    def command(self, command: JointCommand) -> None:
        """Take the setpoints of the coming tick."""
        self._latest = (command.position.copy(), command.velocity.copy(), command.effort.copy())

    def advance(self, joint_rate: FloatArray) -> JointCommand:
        """Turn for one tick with the joints at `joint_rate` (rad/s); return what the joints do over it.

        The effort of an effort-driven joint is its mean over the tick, less the friction of the gear.
        """
        sums = np.zeros_like(self._torque)
        for step in range(1, self._steps + 1):
            self._under_way.append(self._setpoint(step / self._steps))
            goal, goal_rate, effort = self._under_way.popleft()
            self._turn(goal, goal_rate)
            sums += self._push(effort)
        self._before = self._latest
        friction = self._reality.gear_friction * np.tanh(joint_rate / self._friction_speed)
        effort = np.where(self._by_effort, sums / self._steps - friction, np.nan)
        return JointCommand(self._angle.copy(), self._rate.copy(), effort)

    def _setpoint(self, share: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return what the motors aim at after this share of the tick."""
        (before, _, _), (goal, _, effort) = self._before, self._latest
        if not self._reality.interpolated or math.isinf(self._reality.bandwidth):
            return self._latest
        return before + share * (goal - before), (goal - before) / self._dt, effort

    def _turn(self, goal: FloatArray, goal_rate: FloatArray) -> None:
        w, h = self._reality.bandwidth, self._step
        if math.isinf(w):
            self._angle, self._rate = goal.copy(), goal_rate.copy()
            return
        pace = goal_rate if self._reality.interpolated else np.zeros_like(goal)
        setpoint = goal - pace * h  # which gets to the goal at the end of the step
        turned, self._rate = follow_setpoint(self._angle - setpoint, self._rate, pace, w, h)
        self._angle = self._angle + turned

    def _push(self, effort: FloatArray) -> FloatArray:
        wanted = np.clip(np.nan_to_num(effort), -self._limit, self._limit)
        w = self._reality.current_bandwidth
        share = 1.0 if math.isinf(w) else -math.expm1(-w * self._step)
        self._torque = self._torque + share * (wanted - self._torque)
        return self._torque
