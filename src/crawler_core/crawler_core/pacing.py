"""Keeping pace with the wall clock."""

from __future__ import annotations

import time


class Pacer:
    """Waits so that simulated time passes `factor` times as fast as the steady clock; factor 0 never waits.

    A tick that starts late is made up for by the next ones; past `slack` seconds the pacer gives the lost time up,
    counts an overrun and starts again from now, so that a suspended machine does not race afterwards.
    """

    def __init__(self, factor: float, slack: float = 0.05) -> None:
        self.factor = factor
        self.overruns = 0
        self._slack = slack
        self._due: float | None = None

    def wait(self, dt: float) -> None:
        """Return when `dt` simulated seconds have passed since the last call should have returned."""
        if self.factor == 0.0:
            return
        now = time.monotonic()
        self._due = (now if self._due is None else self._due) + dt / self.factor
        if now > self._due + self._slack:
            self.overruns += 1
            self._due = now
        elif self._due > now:
            time.sleep(self._due - now)
