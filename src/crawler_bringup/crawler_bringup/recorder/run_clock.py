"""One axis of time for all that a recording holds: the run's own clock.

In a simulation that is the time of its states; otherwise it is the wall clock, which states, too, are stamped with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from crawler_nodes.transport.message_source import SourceArbiter, read_sender
from crawler_nodes.transport.tap import nanoseconds_of

C = TypeVar("C")
PAST, FUTURE = 60_000_000_000, 1_000_000_000  # ns: a stamp that is further from the present is of another clock


class RunClock:
    """What time it is in a run, ns."""

    def __init__(self, simulated: bool, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = None if simulated else clock
        self._seat = SourceArbiter()
        self._state = 0  # the time of the latest state

    @property
    def now(self) -> int:
        """0 in a simulation that has not begun."""
        return self._state if self._clock is None else self._clock()

    def hear(self, state: bytes) -> None:
        """A serialised message of joint_states. Those of the backend that spoke first count."""
        if self._clock is None and self._seat.admits(read_sender(state)):
            self._state = nanoseconds_of(state)

    def place(self, stamp: int | None) -> int:
        """When a message was that has this stamp, or none."""
        now = self.now
        return stamp if stamp is not None and now - PAST <= stamp <= now + FUTURE else now


class ReorderBuffer(Generic[C]):
    """Puts messages into the order of their times, where those of one topic come after those of another.

    Whoever comes later than that gets the time of the latest that has left.
    """

    def __init__(self) -> None:
        self._held: list[tuple[int, C, bytes]] = []
        self._until = self._left = 0  # ns: what leaves at the next turn, and the time of the last that did

    def add(self, when: int, channel: C, data: bytes) -> None:
        """A message came."""
        self._held.append((when, channel, data))

    def turn(self, *, last: bool = False) -> Sequence[tuple[int, C, bytes]]:
        """Those that are not younger than the youngest at the turn before; at the last turn all."""
        self._held.sort(key=lambda one: one[0])
        count = len(self._held)
        if not last:
            count = sum(when <= self._until for when, _, _ in self._held)
        leaving, self._held = self._held[:count], self._held[count:]
        self._until = max([self._until, *(when for when, _, _ in self._held[-1:])])
        ordered = []
        for when, channel, data in leaving:
            self._left = max(self._left, when)
            ordered.append((self._left, channel, data))
        return ordered
