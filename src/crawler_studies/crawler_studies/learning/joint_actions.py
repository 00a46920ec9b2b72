"""Actions between -1 and 1 as commands to the joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_core.safety.joint_setpoints import JointSetpoints
from crawler_core.types import FloatArray, JointCommand, Observation


class JointActions:
    """Turns actions, a number from -1 to 1 for each actuated joint, into a command for each tick.

    An action is the share of the effort limit of a joint that is driven by effort, the place in the range of angles of
    a joint with limits, and the share of the velocity limit of a continuous joint. Setpoints go there within the limits
    of velocity and an eighth of that of acceleration, so that the supervisor passes them as they are.
    """

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        """`dt` is the tick (s). Raises UserError for an effort-driven joint without a limit."""
        self._spec, self._dt = spec, dt
        joints = spec.actuated
        self._pushed = [k for k, joint in enumerate(joints) if joint.is_effort_driven]
        self._placed = [k for k, joint in enumerate(joints) if not joint.is_effort_driven]
        for k in self._pushed:
            if not joints[k].effort > 0.0:
                raise UserError(
                    f"{joints[k].name} has no effort limit, and an action is a share of it: add one to the robot file."
                )
        placed = [joints[k] for k in self._placed]
        fastest = max((joint.velocity for joint in placed), default=0.0)
        self._setpoints = JointSetpoints(placed, fastest, dt) if placed else None

    def start(self, state: Observation) -> None:
        """Begin at the measured pose."""
        if self._setpoints is not None:
            indices = [self._spec.actuated_indices[k] for k in self._placed]
            self._setpoints.start(state.position[indices].tolist(), state.velocity[indices].tolist())

    def command(self, action: Sequence[float] | FloatArray) -> JointCommand:
        """Return the command of the next tick."""
        shares = [min(max(float(share), -1.0), 1.0) for share in action]
        count, joints = len(shares), self._spec.actuated
        position, velocity, effort = np.full(count, np.nan), np.full(count, np.nan), np.full(count, np.nan)
        for k in self._pushed:
            effort[k] = shares[k] * joints[k].effort
        if self._setpoints is not None:
            goals = [
                self._goal(joints[k], shares[k], now)
                for k, now in zip(self._placed, self._setpoints.position, strict=True)
            ]
            limited = self._setpoints.follow([angle for angle, _ in goals], [rate for _, rate in goals])
            position[self._placed], velocity[self._placed] = limited.position, limited.velocity
        return JointCommand(position, velocity, effort)

    def _goal(self, joint: JointSpec, share: float, now: float) -> tuple[float, float]:
        """Return the angle (rad) and the velocity (rad/s) that an action asks for."""
        if not (math.isfinite(joint.lower) and math.isfinite(joint.upper)):
            return now + share * joint.velocity * self._dt, share * joint.velocity
        return 0.5 * (joint.lower + joint.upper + share * (joint.upper - joint.lower)), 0.0
