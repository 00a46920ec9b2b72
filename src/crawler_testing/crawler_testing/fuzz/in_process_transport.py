"""What carries the messages of nodes that live in one process: no middleware, and a time of its own.

Nodes publish, subscribe and set timers as ever. Each message is serialised, as on a network, and handed to those who
listen, in the order in which they were sent. `time.monotonic` is the wire's own meanwhile, so that all that happens
follows from what is sent.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from unittest.mock import patch

from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.time import Time

EPOCH = 1_700_000_000_000_000_000  # ns, the time of day when the steady clock says 0
QUIET = 0.01  # s of its own time that pass where nothing is under way


class Wire:
    """Between `nodes`, from the first look until `close`. `overhear` is told every message when it is sent."""

    def __init__(self, overhear: Callable[[str, bytes, Any], None]) -> None:
        self.now = 1000.0  # s, what the steady clock says
        self.waylaid: dict[str, Callable[[bytes], None]] = {}  # by topic: done before its next message arrives
        self._overhear = overhear
        self._under_way: deque[tuple[str, bytes]] = deque()
        self._nodes: list[Node] = []
        self._listeners: dict[str, list[Any]] = {}  # by topic; what is out of date is not there
        self._due: dict[Any, float] = {}  # of the timers that go by the steady clock, s
        self._patch = patch.object(time, "monotonic", lambda: self.now)
        self._patch.start()

    def close(self) -> None:
        """Time is the machine's again."""
        self._patch.stop()

    def carry(self, nodes: Iterable[Node]) -> None:
        """Take over what these nodes send and hear from now on."""
        for node in nodes:
            self._nodes.append(node)
            thing: Any
            for thing in node.publishers:
                topic = _plain(thing.topic_name)
                thing.publish = partial(self._publish, topic)
                thing.get_subscription_count = partial(self.readers, topic)
            changed: Any = node
            changed.create_subscription = partial(self._listeners_change, node.create_subscription)
            changed.destroy_subscription = partial(self._listeners_change, node.destroy_subscription)
            clock: Any = node.get_clock()
            clock.now = partial(self._time_of, clock, clock.now)
        self._listeners.clear()

    def readers(self, topic: str) -> int:
        """How many listen to it."""
        return len(self._of(topic))

    def hears(self, node: Node, topic: str) -> bool:
        """Whether this one does."""
        return any(one in node.subscriptions for one in self._of(topic))

    def hand_over(self, topic: str, data: bytes) -> None:
        """Give a message to everybody who listens, now."""
        for subscription in tuple(self._of(topic)):
            subscription.callback(data if subscription.raw else deserialize_message(data, subscription.msg_type))

    def turn(self, seconds: float) -> None:
        """Hand over what is under way at the moment; so long it takes, or a while where nothing is."""
        for _ in range(len(self._under_way)):
            topic, data = self._under_way.popleft()
            if topic in self.waylaid:
                self.waylaid.pop(topic)(data)
            self.hand_over(topic, data)
        self.now += seconds if self._under_way else max(seconds, QUIET)
        for node in self._nodes:
            for timer in tuple(node.timers):
                if self.now >= self._due.get(timer, 0.0) and self._is_due(timer):
                    timer.callback()

    def _publish(self, topic: str, message: Any) -> None:
        data = serialize_message(message)
        self._overhear(topic, data, message)
        if self._of(topic):
            self._under_way.append((topic, data))

    def _time_of(self, clock: Any, now: Callable[[], Time]) -> Time:
        """What a node's clock says: the ring's time, or the time of day, which is the wire's own too."""
        if clock.ros_time_is_active:
            return now()
        return Time(nanoseconds=EPOCH + round(self.now * 1e9), clock_type=ClockType.ROS_TIME)

    def _of(self, topic: str) -> list[Any]:
        if not self._listeners:
            listeners = defaultdict(list)
            for node in self._nodes:
                for subscription in node.subscriptions:
                    listeners[_plain(subscription.topic_name)].append(subscription)
            self._listeners = dict(listeners)
        return self._listeners.get(topic, [])

    def _listeners_change(self, change: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        self._listeners = {}
        return change(*arguments, **options)

    def _is_due(self, timer: Any) -> bool:
        if timer.clock.clock_type != ClockType.STEADY_TIME and timer.clock.ros_time_is_active:
            if not timer.is_ready():
                return False
            with timer.handle:
                timer.handle.call_timer()
            return True
        if timer not in self._due:
            self._forget_timers()
            timer.reset = partial(self._reset, timer, timer.reset)
            self._due[timer] = self.now + timer.timer_period_ns * 1e-9
        if self.now < self._due[timer] or timer.is_canceled():  # seen first, or not running
            return False
        self._due[timer] = self.now + timer.timer_period_ns * 1e-9
        return True

    def _reset(self, timer: Any, reset: Callable[[], None]) -> None:
        self._due[timer] = self.now + timer.timer_period_ns * 1e-9
        reset()

    def _forget_timers(self) -> None:
        there = {timer for node in self._nodes for timer in node.timers}
        self._due = {timer: due for timer, due in self._due.items() if timer in there}


def _plain(topic: str) -> str:
    """A topic without its namespace; the clock is everybody's."""
    name = topic.rpartition("/")[2]
    return "/clock" if name == "clock" else name
