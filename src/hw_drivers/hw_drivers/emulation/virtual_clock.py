"""The time of one emulated bus, which passes only where its owner or the bus's driver lets it."""

from __future__ import annotations

import math
from typing import Protocol

NEVER_NS = 1 << 62


class TimedProcess(Protocol):
    """A process on an emulated bus that time alone drives."""

    def due_ns(self) -> int:
        """Return the time (ns) of its next event, NEVER_NS without one."""
        ...

    def run(self) -> None:
        """Let the events happen that are due by the clock's time; the next one is later."""
        ...


class VirtualClock:
    """Counts whole nanoseconds from 0, so that equal steps give equal times to the bit.

    It takes the place of time.monotonic and time.sleep in a driver. It stops at each event of its processes.
    """

    def __init__(self) -> None:
        self.now_ns = 0
        self._processes: list[TimedProcess] = []

    def __call__(self) -> float:
        """Return the time in s."""
        return self.now_ns / 1e9

    def attach(self, process: TimedProcess) -> None:
        """Let the process happen in this time from now on."""
        self._processes.append(process)

    def detach(self, process: TimedProcess) -> None:
        """End a process; one that was never attached is ignored."""
        self._processes = [one for one in self._processes if one is not process]

    def sleep(self, seconds: float) -> None:
        self.advance_to(self.now_ns + math.ceil(1e9 * seconds - 1e-3))

    def next_due_ns(self) -> int:
        """Return the time (ns) of the next event of all processes."""
        return min((process.due_ns() for process in self._processes), default=NEVER_NS)

    def advance_to(self, time_ns: int) -> None:
        """Let time pass until `time_ns`, event by event. An earlier time only lets pending events happen."""
        while (due := self.next_due_ns()) <= max(time_ns, self.now_ns):
            self.now_ns = max(self.now_ns, due)
            for process in self._processes:
                if process.due_ns() <= self.now_ns:
                    process.run()
        self.now_ns = max(self.now_ns, time_ns)
