"""Transport of messages between nodes of one process: without middleware, and with a clock of its own.

Nodes publish, subscribe and set timers as usual. Each message is serialised and passed to its subscribers in the order
of publication. `time.monotonic` returns the transport's time, so that everything follows from the messages alone.
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

EPOCH_NS = 1_700_000_000_000_000_000  # time of day when the monotonic clock is 0
START_S = 1000.0  # of the monotonic clock
IDLE_STEP_S = 0.01  # by which time advances without messages in transit


class InProcessTransport:
    """Connects the nodes given to `connect`. `on_publish` gets the topic and the bytes of each one."""

    def __init__(self, on_publish: Callable[[str, bytes], None]) -> None:
        self.now = START_S
        self.intercepted: dict[str, Callable[[bytes], None]] = {}  # by topic: called before its next message is passed
        self._on_publish = on_publish
        self._in_transit: deque[tuple[str, bytes]] = deque()
        self._nodes: list[Node] = []
        self._subscriptions: dict[str, list[Any]] = {}  # by topic; empty: to be collected again
        self._due: dict[Any, float] = {}  # of the timers on the monotonic clock, s
        self._patch = patch.object(time, "monotonic", lambda: self.now)
        self._patch.start()

    def close(self) -> None:
        self._patch.stop()

    def connect(self, nodes: Iterable[Node]) -> None:
        """Carry what these nodes publish and subscribe from now on."""
        for node in nodes:
            self._nodes.append(node)
            publisher: Any
            for publisher in node.publishers:
                topic = plain_topic(publisher.topic_name)
                publisher.publish = partial(self._publish, topic)
                publisher.get_subscription_count = partial(self._count_subscriptions, topic)
            patched: Any = node
            patched.create_subscription = partial(self._change_subscriptions, node.create_subscription)
            patched.destroy_subscription = partial(self._change_subscriptions, node.destroy_subscription)
            clock: Any = node.get_clock()
            clock.now = partial(self._clock_time, clock, clock.now)
        self._subscriptions.clear()

    def is_subscribed(self, node: Node, topic: str) -> bool:
        """Return True if this node subscribes to the topic."""
        return any(subscription in node.subscriptions for subscription in self._subscriptions_of(topic))

    def deliver(self, topic: str, data: bytes) -> None:
        """Pass a message to every subscription of the topic, now."""
        for subscription in tuple(self._subscriptions_of(topic)):
            subscription.callback(data if subscription.raw else deserialize_message(data, subscription.msg_type))

    def step(self, seconds: float) -> None:
        """Deliver the messages in transit, then advance time and call the timers that are due.

        Time advances by `seconds`, or by IDLE_STEP_S if that is more and no message is in transit.
        """
        for _ in range(len(self._in_transit)):
            topic, data = self._in_transit.popleft()
            if topic in self.intercepted:
                self.intercepted.pop(topic)(data)
            self.deliver(topic, data)
        self.now += seconds if self._in_transit else max(seconds, IDLE_STEP_S)
        for node in self._nodes:
            for timer in tuple(node.timers):
                if self.now >= self._due.get(timer, 0.0) and self._is_due(timer):
                    timer.callback()

    def _publish(self, topic: str, message: Any) -> None:
        data = message if isinstance(message, bytes) else serialize_message(message)
        self._on_publish(topic, data)
        if self._subscriptions_of(topic):
            self._in_transit.append((topic, data))

    def _clock_time(self, clock: Any, ros_time: Callable[[], Time]) -> Time:
        """Return a node's time: the simulated one, or the time of day that belongs to the monotonic clock."""
        if clock.ros_time_is_active:
            return ros_time()
        return Time(nanoseconds=EPOCH_NS + round(self.now * 1e9), clock_type=ClockType.ROS_TIME)

    def _subscriptions_of(self, topic: str) -> list[Any]:
        if not self._subscriptions:
            found = defaultdict(list)
            for node in self._nodes:
                for subscription in node.subscriptions:
                    found[plain_topic(subscription.topic_name)].append(subscription)
            self._subscriptions = dict(found)
        return self._subscriptions.get(topic, [])

    def _count_subscriptions(self, topic: str) -> int:
        return len(self._subscriptions_of(topic))

    def _change_subscriptions(self, change: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        self._subscriptions = {}
        return change(*arguments, **options)

    def _is_due(self, timer: Any) -> bool:
        if timer.clock.clock_type != ClockType.STEADY_TIME and timer.clock.ros_time_is_active:
            if not timer.is_ready():
                return False
            with timer.handle:
                timer.handle.call_timer()
            return True
        if timer not in self._due:
            timers = {timer for node in self._nodes for timer in node.timers}
            self._due = {timer: due for timer, due in self._due.items() if timer in timers}
            timer.reset = partial(self._reset, timer, timer.reset)
            self._schedule(timer)
        if self.now < self._due[timer] or timer.is_canceled():
            return False
        self._schedule(timer)
        return True

    def _reset(self, timer: Any, reset: Callable[[], None]) -> None:
        self._schedule(timer)
        reset()

    def _schedule(self, timer: Any) -> None:
        self._due[timer] = self.now + timer.timer_period_ns * 1e-9


def plain_topic(topic: str) -> str:
    """Remove the namespace of a topic; /clock is the same for all namespaces."""
    name = topic.rpartition("/")[2]
    return "/clock" if name == "clock" else name
