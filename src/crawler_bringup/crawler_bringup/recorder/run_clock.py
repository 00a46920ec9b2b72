"""The run's own clock, which gives all messages of a recording one axis of time.

In a simulation it is the time of the states. Otherwise it is the wall clock, which stamps the states too.
"""

from __future__ import annotations

from crawler_core.loop.steady_wall_clock import SteadyWallClock
from crawler_nodes.messages.header import read_sender, read_stamp_ns
from crawler_nodes.transport.source_arbiter import SourceArbiter

MAX_AGE_NS, MAX_LEAD_NS = 60_000_000_000, 1_000_000_000  # a stamp further from now is of another clock
MAX_DELAY_NS = 10_000_000  # of a state; an older one may be of another clock


class RunClock:
    """Maps the stamps of messages to the time of the run, ns."""

    def __init__(self, simulated: bool, wall_clock: SteadyWallClock | None = None) -> None:
        self._wall_clock = None if simulated else wall_clock or SteadyWallClock()
        self._arbiter = SourceArbiter()
        self._state_ns = 0  # time of the latest state

    @property
    def now(self) -> int:
        """Return the time of the run; 0 in a simulation that has not begun."""
        return self._state_ns if self._wall_clock is None else self._wall_clock()

    def observe_state(self, state: bytes) -> None:
        """Take the time of a serialised message of joint_states. Only the first backend's count."""
        if not self._arbiter.accept(read_sender(state)):
            return
        self._state_ns = read_stamp_ns(state)
        if self._wall_clock is not None and abs(self.now - self._state_ns) > MAX_DELAY_NS:
            self._wall_clock.align(self._state_ns)  # the backend may have been opened after the system's clock was set

    def timestamp(self, stamp: int | None) -> int:
        """Return the time under which a message with this stamp (None: without one) is recorded."""
        now = self.now
        if stamp is None or not now - MAX_AGE_NS <= stamp <= now + MAX_LEAD_NS:
            return now
        # by the wall clock no message is of the future, but stamps may be where the system's clock was set
        return stamp if self._wall_clock is None else min(stamp, now)
