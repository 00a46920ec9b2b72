"""The run's own clock, which gives all messages of a recording one axis of time.

In a simulation it is the time of the states. Otherwise it is the wall clock, which stamps the states too.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from crawler_nodes.messages.header import read_sender, read_stamp_ns
from crawler_nodes.transport.source_arbiter import SourceArbiter

MAX_AGE_NS, MAX_LEAD_NS = 60_000_000_000, 1_000_000_000  # a stamp further from now is of another clock


class RunClock:
    """Maps the stamps of messages to the time of the run, ns."""

    def __init__(self, simulated: bool, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = None if simulated else clock
        self._arbiter = SourceArbiter()
        self._state_ns = 0  # time of the latest state

    @property
    def now(self) -> int:
        """Return the time of the run; 0 in a simulation that has not begun."""
        return self._state_ns if self._clock is None else self._clock()

    def observe_state(self, state: bytes) -> None:
        """Take the time of a serialised message of joint_states. Only the first backend's count."""
        if self._clock is None and self._arbiter.accept(read_sender(state)):
            self._state_ns = read_stamp_ns(state)

    def timestamp(self, stamp: int | None) -> int:
        """Return the time under which a message with this stamp (None: without one) is recorded."""
        now = self.now
        return stamp if stamp is not None and now - MAX_AGE_NS <= stamp <= now + MAX_LEAD_NS else now
