"""Wall time that goes on steadily while the system's clock is set."""

from __future__ import annotations

import time
from collections.abc import Callable

MAX_READING_NS = 100_000  # between two readings of the steady clock, for the wall time in between to be exact
MAX_READINGS = 5


class SteadyWallClock:
    """The system's time (ns) when this clock was made, continued by the steady clock.

    A person, NTP or a suspended machine may set the system's clock while a robot moves: by it, joints would seem to
    jump, and timers would wait for as long.
    """

    def __init__(self, wall: Callable[[], int] | None = None, steady: Callable[[], int] | None = None) -> None:
        """Tests pass their own clocks (ns)."""
        self._wall = wall or time.time_ns
        self._steady = steady or time.monotonic_ns
        self._epoch_ns = self._seen_ns = self._system_epoch_ns()

    def __call__(self) -> int:
        """Return the time, ns."""
        return self._epoch_ns + self._steady()

    def take_step_s(self) -> float:
        """Return by how much (s) the system's clock was set since the last call: negative if back."""
        before, self._seen_ns = self._seen_ns, self._system_epoch_ns()
        return 1e-9 * (self._seen_ns - before)

    def align(self, time_ns: int) -> None:
        """Take the system's time again where that is nearer to `time_ns`, which is the time of another process."""
        system_ns, lead_ns = self._system_epoch_ns(), time_ns - self._steady()
        if abs(lead_ns - system_ns) < abs(lead_ns - self._epoch_ns):
            self._epoch_ns = system_ns

    def _system_epoch_ns(self) -> int:
        """Return the system's time at the zero of the steady clock. A busy machine may interrupt a reading."""
        readings = []
        for _ in range(MAX_READINGS):
            before, wall, after = self._steady(), self._wall(), self._steady()
            readings.append((after - before, wall - (before + after) // 2))
            if after - before < MAX_READING_NS:
                break
        return min(readings)[1]
