"""What a robot's strides ask of the ground and of its motors, message by message."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from crawler_core.types import ContactMode

SLIPPING = (ContactMode.SLIP_POS, ContactMode.SLIP_NEG)


@dataclass
class Demand:
    """Of one stride, as far as it is known."""

    friction: float = 0.0  # the largest share of its load with which a sticking foot is pushed along the ground
    slip: float = 0.0  # m, of all feet
    torque: float = 0.0  # N·m, the largest of a motor that is driven by effort
    power: float = 0.0  # W, likewise, driving or braking

    def touch(self, entries: Iterable[Any], seconds: float) -> None:
        """The feet of a ContactStateArray, and the time since the one before."""
        for entry in entries:
            force, slip = entry.force, entry.slip_velocity
            if entry.mode == ContactMode.STICK and force.z > 0.0:
                self.friction = max(self.friction, math.hypot(force.x, force.y) / force.z)
            elif entry.mode in SLIPPING:
                self.slip += seconds * math.hypot(slip.x, slip.y)

    def push(self, effort: float, rate: float) -> None:
        """A motor gives an effort (N·m) at a rate (rad/s)."""
        if math.isfinite(effort):
            self.torque = max(self.torque, abs(effort))
            self.power = max(self.power, abs(effort * rate))


def greatest(strides: Iterable[Demand]) -> dict[str, float]:
    """The largest of some strides, by the keys that predictions have."""
    found = list(strides)
    return {
        "friction_used": max(stride.friction for stride in found),
        "slip_per_stride_m": max(stride.slip for stride in found),
        "peak_torque_N_m": max(stride.torque for stride in found),
        "peak_power_W": max(stride.power for stride in found),
    }
