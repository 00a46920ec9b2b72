"""The number of points that are evaluated in one go."""

from __future__ import annotations

CHUNK_TIME_S = 0.4  # the loss of an interruption at most, and the period of the progress
MAX_GROWTH = 8.0  # from one chunk to the next
MAX_CHUNK_POINTS = 10_000


class ChunkSize:
    """Adapts the size to the time that points took; the first chunk is one point."""

    def __init__(self) -> None:
        self._size = 1.0

    @property
    def size(self) -> int:
        """Points for the next chunk."""
        return int(self._size)

    def update(self, points: int, seconds: float) -> None:
        """Take account of `points` that one process evaluated in `seconds`."""
        wanted = CHUNK_TIME_S * points / max(seconds, 1e-9)
        self._size = min(max(wanted, 1.0), MAX_GROWTH * points, MAX_CHUNK_POINTS)
