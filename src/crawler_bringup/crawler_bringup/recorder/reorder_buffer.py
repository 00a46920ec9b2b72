"""A buffer that puts messages of several topics into the order of their times."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

Entry = tuple[int, Any, bytes]  # time in ns, channel, serialised message
TIME = itemgetter(0)


class ReorderBuffer:
    """Holds messages back for one round, so that a message of another topic can still take its place before them.

    A message that arrives too late takes the timestamp of the last one returned.
    """

    def __init__(self) -> None:
        self._waiting: list[Entry] = []
        self._due_ns = self._last_ns = 0

    def add(self, time_ns: int, channel: Any, data: bytes) -> None:
        """Add a message that was received."""
        self._waiting.append((time_ns, channel, data))

    def pop_due(self) -> list[Entry]:
        """Return the messages up to the latest time of the call before."""
        self._waiting.sort(key=TIME)
        count = bisect_right(self._waiting, self._due_ns, key=TIME)
        due, self._waiting = self._waiting[:count], self._waiting[count:]
        if self._waiting:
            self._due_ns = self._waiting[-1][0]
        return list(self._monotonic(due))

    def pop_all(self) -> list[Entry]:
        """Return all messages."""
        rest, self._waiting = sorted(self._waiting, key=TIME), []
        return list(self._monotonic(rest))

    def _monotonic(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        for time_ns, channel, data in entries:
            self._last_ns = max(self._last_ns, time_ns)
            yield self._last_ns, channel, data
