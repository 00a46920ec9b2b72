"""Setpoints within the limits of the joints."""

from __future__ import annotations

import math

from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.laws.law import Setpoint


class SetpointClamp:
    """Cuts positions and velocities to the limits of the actuated joints. Those inside pass bit for bit.

    Joints that are driven by effort pass as they are: they are not told where to be.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self._limits = [
            (-math.inf, math.inf, math.inf) if joint.by_effort else (joint.lower, joint.upper, joint.velocity)
            for joint in spec.actuated
        ]
        self._inside = [False] * len(self._limits)

    def __call__(self, position: list[float], velocity: list[float]) -> Setpoint:
        for (lower, upper, fastest), x, v in zip(self._limits, position, velocity, strict=True):
            if not (lower <= x <= upper and -fastest <= v <= fastest):
                break
        else:
            return Setpoint(position, velocity, self._inside)
        inside = [min(max(x, lower), upper) for (lower, upper, _), x in zip(self._limits, position, strict=True)]
        slow = [min(max(v, -fastest), fastest) for (_, _, fastest), v in zip(self._limits, velocity, strict=True)]
        changed = [a != b or v != w for a, b, v, w in zip(position, inside, velocity, slow, strict=True)]
        return Setpoint(inside, slow, changed)
