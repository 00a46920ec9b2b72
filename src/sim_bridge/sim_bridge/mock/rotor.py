"""A rotor: what turns when nothing but a motor and its friction act on it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Rotor:
    """Its state at one instant, and what it is made of."""

    inertia: float  # kg·m²
    damping: float  # N·m·s/rad
    angle: float  # rad
    speed: float  # rad/s

    def after(self, seconds: float, effort: float) -> Rotor:
        """The same `seconds` later under a constant `effort` (N·m), exactly.

        inertia * acceleration = effort - damping * speed
        """
        decay = self.damping / self.inertia
        left = math.exp(-decay * seconds)
        felt = -math.expm1(-decay * seconds) / decay if decay else seconds
        turned = (seconds - felt) / decay if decay else 0.5 * seconds * seconds
        push = effort / self.inertia
        return Rotor(
            self.inertia,
            self.damping,
            self.angle + self.speed * felt + push * turned,
            self.speed * left + push * felt,
        )
