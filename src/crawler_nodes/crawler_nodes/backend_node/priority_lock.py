"""A lock that services get before ticks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

POLL_PERIOD_S = 1e-4


class PriorityLock:
    """Guards the supervised backend. A service that enters it goes before the next tick, however close ticks come."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._waiting_services: list[None] = []  # lists grow and shrink atomically, counters do not

    def __enter__(self) -> PriorityLock:
        self._waiting_services.append(None)
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting_services.pop()
        self._lock.release()

    @contextmanager
    def tick(self) -> Iterator[None]:
        """Enter as a tick."""
        while self._waiting_services:
            time.sleep(POLL_PERIOD_S)
        with self._lock:
            yield
