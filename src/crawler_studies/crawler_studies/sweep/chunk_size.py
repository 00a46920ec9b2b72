"""How many points to evaluate in one go."""

from __future__ import annotations

AIM = 0.4  # s: what an interruption may cost, and how often progress shows
GROWTH = 8.0  # at most, from one go to the next
LARGEST = 10_000


class ChunkSize:
    """Learns from the time that points took; the first go is one point."""

    def __init__(self) -> None:
        self._size = 1.0

    @property
    def size(self) -> int:
        """Points for the next go."""
        return int(self._size)

    def took(self, points: int, seconds: float) -> None:
        """`points` were evaluated in one process in `seconds`."""
        wanted = AIM * points / max(seconds, 1e-9)
        self._size = min(max(wanted, 1.0), GROWTH * points, LARGEST)
