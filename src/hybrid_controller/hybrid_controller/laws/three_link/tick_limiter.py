"""Limit a tick's setpoints to the joints' acceleration, velocity and position limits."""

from __future__ import annotations

import math

from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.laws.law import Setpoint

RELATIVE_ROUNDING = 1e-9  # a smaller difference does not count as limited


class TickLimiter:
    """Limits the motion of one tick of the actuated joints. A motion within the limits passes bit for bit."""

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        self._joints = spec.actuated
        self._dt = dt

    def __call__(self, start: Setpoint, position: list[float], velocity: list[float]) -> Setpoint:
        """Return the setpoint at `position` and `velocity`, or as near as the limits allow from `start`."""
        rows = [
            self._limit_joint(i, q0, v0, q, v)
            for i, (q0, v0, q, v) in enumerate(zip(start.position, start.velocity, position, velocity, strict=True))
        ]
        return Setpoint([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])

    def _limit_joint(self, i: int, q0: float, v0: float, q: float, v: float) -> tuple[float, float, bool]:
        joint, dt = self._joints[i], self._dt
        change = joint.acceleration * dt
        # the highest speed from which the joint can still brake inside its range
        up = min(joint.velocity, math.sqrt(2.0 * joint.acceleration * max(joint.upper - q, 0.0)))
        down = min(joint.velocity, math.sqrt(2.0 * joint.acceleration * max(q - joint.lower, 0.0)))
        speed = min(max(v, v0 - change, -down), v0 + change, up)
        if abs(speed - v) <= RELATIVE_ROUNDING * joint.velocity and joint.lower <= q <= joint.upper:
            return q, v, False
        inside = min(max(q0 + 0.5 * (v0 + speed) * dt, joint.lower), joint.upper)
        return inside, speed, True
