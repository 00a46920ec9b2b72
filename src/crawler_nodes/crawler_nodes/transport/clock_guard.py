"""Whom to believe about the time: /clock tells no sender, and one word of a stranger must not move the robot's time."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.node import Node
from rosgraph_msgs.msg import Clock

FAR = 1.0  # s of the run's time between two words that no running simulation leaves out
SURE = 0.3  # s of wall time for which only another time must have been told until it is believed


class ClockGuard:
    """Passes on what follows from the time before. What does not is passed on once nobody tells otherwise any more.

    So a simulation that begins again is followed after a moment, and somebody who tells another time beside one is not.
    """

    def __init__(self, pass_on: Callable[[Clock], None], clock: Callable[[], float] | None = None) -> None:
        self.ignored = 0  # words that were not believed
        self._pass_on = pass_on
        self._clock = clock or time.monotonic
        self._now: float | None = None  # s of the run, as it was last believed
        self._believed = 0.0  # s on the steady clock, when that was

    @staticmethod
    def of(node: Node) -> ClockGuard | None:
        """Guards the clock of a node; None where it goes by the wall clock."""
        for subscription in node.subscriptions:
            if subscription.msg_type is Clock:
                guard = ClockGuard(subscription.callback)
                subscription.callback = guard.hear
                return guard
        return None

    def hear(self, message: Clock) -> None:
        """A word on the time."""
        told, heard = message.clock.sec + message.clock.nanosec * 1e-9, self._clock()
        follows = self._now is None or abs(told - self._now) <= FAR
        if message.clock.sec < 0 or not (follows or heard - self._believed > SURE):
            self.ignored += 1
            return
        self._now, self._believed = told, heard
        self._pass_on(message)
