"""Limit setpoints to the joints' position and velocity limits."""

from __future__ import annotations

import math

from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.laws.law import Setpoint


class SetpointClamp:
    """Clamps positions and velocities of the actuated joints. Setpoints within the limits pass bit for bit.

    Effort-driven joints have no setpoint and pass as they are.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self._limits = [
            (-math.inf, math.inf, math.inf) if joint.is_effort_driven else (joint.lower, joint.upper, joint.velocity)
            for joint in spec.actuated
        ]
        self._none_saturated = [False] * len(self._limits)

    def __call__(self, position: list[float], velocity: list[float]) -> Setpoint:
        for (lower, upper, fastest), x, v in zip(self._limits, position, velocity, strict=True):
            if not (lower <= x <= upper and -fastest <= v <= fastest):
                break
        else:
            return Setpoint(position, velocity, self._none_saturated)
        clamped = [min(max(x, lower), upper) for (lower, upper, _), x in zip(self._limits, position, strict=True)]
        slowed = [min(max(v, -fastest), fastest) for (_, _, fastest), v in zip(self._limits, velocity, strict=True)]
        saturated = [a != b or v != w for a, b, v, w in zip(position, clamped, velocity, slowed, strict=True)]
        return Setpoint(clamped, slowed, saturated)
