"""The peak loads of a robot's strides on the ground and on its motors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from crawler_core.types import ContactMode

SLIPPING = (ContactMode.SLIP_POS, ContactMode.SLIP_NEG)


@dataclass
class StrideLoads:
    """The loads of one stride, as far as they are known."""

    friction: float = 0.0  # largest ratio of tangential to normal force of a sticking foot
    slip: float = 0.0  # m, of all feet
    torque: float = 0.0  # N·m, largest magnitude of a motor that is driven by effort
    power: float = 0.0  # W, largest magnitude of such a motor, driving or braking

    def add_contacts(self, entries: Iterable[Any], seconds: float) -> None:
        """Add the feet of a ContactStateArray, for the time since the one before."""
        for entry in entries:
            force, slip = entry.force, entry.slip_velocity
            if entry.mode == ContactMode.STICK and force.z > 0.0:
                self.friction = max(self.friction, math.hypot(force.x, force.y) / force.z)
            elif entry.mode in SLIPPING:
                self.slip += seconds * math.hypot(slip.x, slip.y)

    def add_effort(self, effort: float, velocity: float) -> None:
        """Add a motor's effort (N·m) at a velocity (rad/s)."""
        if math.isfinite(effort):
            self.torque = max(self.torque, abs(effort))
            self.power = max(self.power, abs(effort * velocity))


def peak_loads(strides: Iterable[StrideLoads]) -> dict[str, float]:
    """Return the largest loads of some strides, by the keys that predictions have."""
    loads = list(strides)
    return {
        "friction_used": max(stride.friction for stride in loads),
        "slip_per_stride_m": max(stride.slip for stride in loads),
        "peak_torque_N_m": max(stride.torque for stride in loads),
        "peak_power_W": max(stride.power for stride in loads),
    }
