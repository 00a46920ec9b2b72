"""Pacing of ticks by the wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable

MIN_TICK_SHARE = 0.9  # of a tick, between the beginnings of two ticks where time passes by itself


class Pacer:
    """Lets simulated time pass `factor` times as fast as the steady clock; factor 0 never waits.

    The next ticks make up for one that starts late. Beyond `slack` seconds the lost time is given up, counted as an
    overrun, and the pace begins again, so that a suspended machine does not race afterwards. With `evenly`, for motors,
    nothing is made up for: each tick takes its time, and every whole tick lost so is an overrun.
    """

    def __init__(
        self,
        factor: float,
        *,
        slack: float = 0.05,
        evenly: bool = False,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        """`sleep` waits for some seconds, unless something better ends it."""
        self.factor = factor
        self.overruns = 0
        self._slack = slack
        self._evenly = evenly
        self._sleep = sleep or time.sleep
        self._due: float | None = None  # s, when the last tick was
        self._lost_ticks = 0.0  # less than one
        self._last_start = 0.0  # s, of a tick that was waited for

    def restart(self) -> None:
        """Begin again: the next tick is due a tick from now."""
        self._due = None

    def next(self, dt: float) -> float:
        """Return when (s) the tick may begin that is `dt` simulated seconds after the last one."""
        now = time.monotonic()
        if self.factor == 0.0:
            return now
        step = dt / self.factor
        due = (now if self._due is None else self._due) + step
        if self._evenly:
            start = max(due, now, self._last_start + MIN_TICK_SHARE * step)
            self._lost_ticks += (start - due) / step
            self.overruns += int(self._lost_ticks)
            self._lost_ticks %= 1.0
            due = start
        elif now > due + self._slack:
            self.overruns += 1
            due = now
        self._due = due
        return due

    def wait(self, dt: float) -> None:
        """Return when that tick may begin."""
        left = self.next(dt) - time.monotonic()
        if left > 0.0:
            self._sleep(left)
        self._last_start = time.monotonic()
