"""The time of a board's clock by the clock of the driver."""

from __future__ import annotations

import math

MAX_DRIFT = 2e-4  # of a board's quartz against this computer's
WRAP_US = 2**32


class BoardClock:
    """Maps the board's microseconds to the driver's time.

    An answer cannot arrive before its measurement: the smallest difference between the two is the best known. It is
    too large by the time of the fastest answer on the line, which is below a millisecond.
    """

    def __init__(self) -> None:
        self._last_us: int | None = None  # by the board, without wrapping
        self._offset = math.inf  # s, the driver's time less the board's
        self._last_arrival = -math.inf  # s

    def update(self, board_us: int, arrival: float) -> None:
        """Take the time of a state, and when (s) it arrived."""
        unwrapped = self._unwrap(board_us)
        if unwrapped < (self._last_us or 0):
            self._offset = math.inf  # another start of the board
        self._last_us = unwrapped
        drift = MAX_DRIFT * (arrival - self._last_arrival) if math.isfinite(self._last_arrival) else 0.0
        self._offset = min(self._offset + drift, arrival - 1e-6 * unwrapped)
        self._last_arrival = arrival

    def time(self, board_us: int) -> float:
        """Return the driver's time (s) for a time of the board near the last one."""
        return 1e-6 * self._unwrap(board_us) + self._offset

    def _unwrap(self, board_us: int) -> int:
        if self._last_us is None:
            return board_us
        half = WRAP_US // 2
        return self._last_us + (board_us - self._last_us + half) % WRAP_US - half
