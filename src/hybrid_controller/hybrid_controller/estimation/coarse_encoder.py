"""Angle and speed of a shaft from a coarse absolute encoder with a few counts per turn."""

from __future__ import annotations

import math

COUNT_TOLERANCE = 1e-6  # of a count: an angle that is exactly on the grid keeps its count, whatever its rounding
SPEED_EDGES = 4  # over which the speed is taken: a tick is a good part of the time between two of them


class CoarseEncoder:
    """Rounds an angle down to its count, and estimates angle and speed from the times at which the count changes.

    A change gives the exact angle, at the resolution of a tick. From there the estimate moves at the mean speed of the
    last few changes, within the count that is read. A count that does not change for long bounds the speed.
    """

    def __init__(self, counts: int) -> None:
        """`counts` are those of a turn."""
        self._count_angle = math.tau / counts  # rad
        self._last_count: int | None = None
        self._edges: list[tuple[float, float]] = []  # s and rad, all in one direction
        self.middle = 0.0  # rad, of the count that is read
        self.angle = 0.0  # rad
        self.speed = 0.0  # rad/s

    def read(self, time: float, angle: float) -> None:
        """Read the encoder at `time` (s), with the shaft at `angle` (rad)."""
        count = math.floor(angle / self._count_angle + COUNT_TOLERANCE)
        before, self._last_count = self._last_count, count
        if before is not None and count != before:
            self._add_edge(time, count, 1 if count > before else -1)
        low, high = count * self._count_angle, (count + 1) * self._count_angle
        self.middle = 0.5 * (low + high)
        if not self._edges:
            self.angle, self.speed = self.middle, 0.0
            return
        edge_time, edge = self._edges[-1]
        self.speed = self._estimate_speed(time - edge_time)
        self.angle = min(max(edge + self.speed * (time - edge_time), low), high)

    def _add_edge(self, time: float, count: int, direction: int) -> None:
        edge = (count if direction > 0 else count + 1) * self._count_angle
        if self._edges and (edge - self._edges[-1][1]) * direction <= 0.0:
            self._edges = []  # the shaft has turned back
        self._edges = [*self._edges[-SPEED_EDGES:], (time, edge)]

    def _estimate_speed(self, since_edge: float) -> float:
        """Return the speed (rad/s), `since_edge` seconds after the last change."""
        (first, low), (last, high) = self._edges[0], self._edges[-1]
        if last <= first:
            return 0.0
        speed = (high - low) / (last - first)
        max_speed = self._count_angle / since_edge if since_edge > 0.0 else math.inf
        return math.copysign(min(abs(speed), max_speed), speed)
