"""A rotor on which only a motor and viscous friction act."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Rotor:
    """Properties and state of a rotor at one instant."""

    inertia: float  # kg·m²
    damping: float  # N·m·s/rad
    angle: float  # rad
    speed: float  # rad/s

    def after(self, seconds: float, effort: float) -> Rotor:
        """Return the rotor `seconds` later under a constant `effort` (N·m); the solution is exact.

        inertia * acceleration = effort - damping * speed
        """
        decay = self.damping / self.inertia
        remaining = math.exp(-decay * seconds)
        decayed = -math.expm1(-decay * seconds) / decay if decay else seconds
        travel = (seconds - decayed) / decay if decay else 0.5 * seconds * seconds
        acceleration = effort / self.inertia
        return Rotor(
            self.inertia,
            self.damping,
            self.angle + self.speed * decayed + acceleration * travel,
            self.speed * remaining + acceleration * decayed,
        )
