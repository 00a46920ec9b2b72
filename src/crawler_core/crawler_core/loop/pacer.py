"""Keeping pace with the wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable

APART = 0.9  # of a tick: where time passes by itself, two ticks begin no closer together


class Pacer:
    """Lets simulated time pass `factor` times as fast as the steady clock; factor 0 never waits.

    A tick that starts late is made up for by the next ones; past `slack` seconds the lost time is given up, counted as
    an overrun, and the pace begins again, so that a suspended machine does not race afterwards. With `evenly`, for
    motors, nothing is made up: each tick takes its time, and every whole tick that has been lost so is an overrun.
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
        self._due: float | None = None
        self._lost = 0.0  # ticks, less than one
        self._began = 0.0  # when the last tick that was waited for did begin

    def restart(self) -> None:
        """Begin again: the next tick is due a tick from then."""
        self._due = None

    def next(self, dt: float) -> float:
        """When the tick may begin that is `dt` simulated seconds after the last one that was asked for, s."""
        now = time.monotonic()
        if self.factor == 0.0:
            return now
        step = dt / self.factor
        due = (now if self._due is None else self._due) + step
        if self._evenly:
            began = max(due, now, self._began + APART * step)
            self._lost += (began - due) / step
            self.overruns += int(self._lost)
            self._lost %= 1.0
            due = began
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
        self._began = time.monotonic()
