"""Protection against foreign /clock messages, which carry no sender: one of them must not move the robot's time."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.node import Node
from rosgraph_msgs.msg import Clock

MAX_STEP_S = 1.0  # of the run's time between two messages; no running simulation skips more
TAKEOVER_S = 0.3  # of wall time without an accepted message after which another time is accepted


class ClockGuard:
    """Forwards /clock values within 1 s of the last accepted one; others only after 0.3 s without one.

    So a restarted simulation is followed after a moment, and a second publisher beside a running one is ignored.
    """

    def __init__(self, forward: Callable[[Clock], None], clock: Callable[[], float] | None = None) -> None:
        self.ignored = 0  # messages that were not accepted
        self._forward = forward
        self._clock = clock or time.monotonic
        self._time: float | None = None  # s of the run, as it was accepted last
        self._accepted_at = 0.0  # s on the steady clock, when that was

    @staticmethod
    def of(node: Node) -> ClockGuard | None:
        """Guard the /clock subscription of a node; None where it goes by the wall clock."""
        for subscription in node.subscriptions:
            if subscription.msg_type is Clock:
                guard = ClockGuard(subscription.callback)
                subscription.callback = guard.accept
                return guard
        return None

    def accept(self, message: Clock) -> None:
        """Forward a message, or count it as ignored."""
        stamp, now = message.clock.sec + message.clock.nanosec * 1e-9, self._clock()
        continues = self._time is None or abs(stamp - self._time) <= MAX_STEP_S
        if message.clock.sec < 0 or not (continues or now - self._accepted_at > TAKEOVER_S):
            self.ignored += 1
            return
        self._time, self._accepted_at = stamp, now
        self._forward(message)
