"""Which way is forward on the ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Heading(NamedTuple):
    """Forward, as a direction in the ground's plane. A base that cannot yaw heads along the world's x axis."""

    x: float = 1.0
    y: float = 0.0

    @staticmethod
    def of(quaternion: Sequence[float]) -> Heading:
        """The horizontal direction of the x axis of a base in this attitude (w, x, y, z).

        A base whose x axis is upright has none: then it is the world's x axis.
        """
        w, x, y, z = quaternion
        ahead, left = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
        length = math.hypot(ahead, left)
        return Heading(ahead / length, left / length) if length > 1e-9 else Heading()

    @property
    def yaw(self) -> float:
        """Radians from the world's x axis, to the left."""
        return math.atan2(self.y, self.x)

    def forward(self, x: float, y: float) -> float:
        """The part of a vector in the world that points forward."""
        return x if self == WORLD_HEADING else x * self.x + y * self.y

    def lateral(self, x: float, y: float) -> float:
        """The part that points to the left."""
        return y if self == WORLD_HEADING else y * self.x - x * self.y


WORLD_HEADING = Heading()
