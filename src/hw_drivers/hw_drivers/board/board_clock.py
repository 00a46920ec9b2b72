"""The time of a board's clock by the clock of the driver."""

from __future__ import annotations

import math

MAX_DRIFT = 2e-4  # of a board's quartz against this computer's
WRAP_US = 2**32


class BoardClock:
    """Maps the board's microseconds to the driver's time.

    An answer leaves after its measurement: the smallest difference between the two is the best known. The way of an
    answer takes its share of the time from the request to its arrival.
    """

    def __init__(self) -> None:
        self._last_us: int | None = None  # by the board, without wrapping
        self._offset = math.inf  # s, the driver's time less the board's
        self._last_left = -math.inf  # s

    def update(self, board_us: int, left: float) -> None:
        """Take the time of a state, and when (s) it left the board, by the driver's clock."""
        unwrapped = self._unwrap(board_us)
        if unwrapped < (self._last_us or 0):
            self._offset = math.inf  # another start of the board
        self._last_us = unwrapped
        drift = MAX_DRIFT * (left - self._last_left) if math.isfinite(self._last_left) else 0.0
        self._offset = min(self._offset + drift, left - 1e-6 * unwrapped)
        self._last_left = left

    def time(self, board_us: int) -> float:
        """Return the driver's time (s) for a time of the board near the last one."""
        return 1e-6 * self._unwrap(board_us) + self._offset

    def _unwrap(self, board_us: int) -> int:
        if self._last_us is None:
            return board_us
        half = WRAP_US // 2
        return self._last_us + (board_us - self._last_us + half) % WRAP_US - half
