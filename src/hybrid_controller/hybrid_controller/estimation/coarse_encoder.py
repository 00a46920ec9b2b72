"""A coarse absolute encoder: what is known of an angle that is only told on a grid of a few values per turn."""

from __future__ import annotations

import math

TURN = 2.0 * math.pi
SURE = 1e-6  # of a count: an angle that is on the grid already reads as itself, whatever its rounding
EDGES = 4  # over which the speed is taken: a tick is a good part of the time between two of them


class CoarseEncoder:
    """Reads an angle down to the count below, and makes angle and speed out of the moments at which the count changes.

    A change tells the angle exactly, as far as ticks tell its moment. From there on the angle goes on with the speed of
    the last few changes, but not beyond the count that is read; one that does not change for long has slowed down.
    """

    def __init__(self, counts: int) -> None:
        """`counts` of a turn."""
        self._count = TURN / counts  # rad
        self._last: int | None = None  # the count that was read last
        self._edges: list[tuple[float, float]] = []  # s and rad, all in one direction
        self.middle = 0.0  # rad, of the count that is read
        self.angle = 0.0  # rad
        self.speed = 0.0  # rad/s

    def read(self, time: float, angle: float) -> None:
        """At `time` (s) the shaft is at `angle` (rad)."""
        count = math.floor(angle / self._count + SURE)
        before, self._last = self._last, count
        if before is not None and count != before:
            self._note(time, count, 1 if count > before else -1)
        low, high = count * self._count, (count + 1) * self._count
        self.middle = 0.5 * (low + high)
        if not self._edges:
            self.angle, self.speed = self.middle, 0.0
            return
        since, edge = self._edges[-1]
        self.speed = self._told(time - since)
        self.angle = min(max(edge + self.speed * (time - since), low), high)

    def _note(self, time: float, count: int, way: int) -> None:
        edge = (count if way > 0 else count + 1) * self._count
        if self._edges and (edge - self._edges[-1][1]) * way <= 0.0:
            self._edges = []  # it has turned back
        self._edges = [*self._edges[-EDGES:], (time, edge)]

    def _told(self, waited: float) -> float:
        """The speed, given how long there has been no change."""
        (first, low), (last, high) = self._edges[0], self._edges[-1]
        if last <= first:
            return 0.0
        speed = (high - low) / (last - first)
        most = self._count / waited if waited > 0.0 else math.inf
        return math.copysign(min(abs(speed), most), speed)
