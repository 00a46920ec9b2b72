"""The heading of a base on the ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Heading(NamedTuple):
    """The forward direction in the plane of the ground. A base that cannot yaw heads along the world's x axis."""

    x: float = 1.0
    y: float = 0.0

    @staticmethod
    def of(quaternion: Sequence[float]) -> Heading:
        """Return the horizontal direction of the x axis of a base with this quaternion (w, x, y, z).

        A base whose x axis is vertical has none; its heading is the world's x axis.
        """
        w, x, y, z = quaternion
        ahead, left = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
        length = math.hypot(ahead, left)
        return Heading(ahead / length, left / length) if length > 1e-9 else Heading()

    @property
    def yaw(self) -> float:
        """The angle from the world's x axis to the left (rad)."""
        return math.atan2(self.y, self.x)

    def forward(self, x: float, y: float) -> float:
        """Return the forward component of a vector in the world."""
        return x if self == WORLD_HEADING else x * self.x + y * self.y

    def lateral(self, x: float, y: float) -> float:
        """Return the component to the left of a vector in the world."""
        return y if self == WORLD_HEADING else y * self.x - x * self.y


WORLD_HEADING = Heading()
