"""The age of an answer. The protocol does not link answers to requests, but the servo's own clock dates them."""

from __future__ import annotations

from hw_drivers.dynamixel.tables import REALTIME_UNIT_S, REALTIME_WRAP_TICKS

MAX_LAG_S = 0.05  # behind the fastest answers
CLOCK_DRIFT = 0.02  # relative error of a servo's clock
CLOCK_WRAP_S = REALTIME_WRAP_TICKS * REALTIME_UNIT_S


class Freshness:
    """Compares one servo's clock with this computer's. A delayed answer shows an earlier time than is due."""

    def __init__(self) -> None:
        self._lag = 0.0  # s behind the fastest answers
        self._last: tuple[float, int] | None = None  # this computer's time (s) and the servo's tick

    def is_fresh(self, tick: int, now: float) -> bool:
        """Return True if an answer with this tick, which came at `now` (s), belongs to the last request."""
        last, self._last = self._last, (now, tick)
        if last is None or now - last[0] > 0.5 * CLOCK_WRAP_S:
            self._lag = 0.0
            return True
        passed = now - last[0]
        ticked = ((tick - last[1]) % REALTIME_WRAP_TICKS) * REALTIME_UNIT_S
        if ticked > 0.5 * CLOCK_WRAP_S:
            ticked -= CLOCK_WRAP_S  # it went backwards
        self._lag = max(0.0, self._lag + passed - ticked - CLOCK_DRIFT * passed)
        return self._lag <= MAX_LAG_S
