"""Bulk reading of many topics at kilohertz.

An executor spends some 50 microseconds of Python on each message. A tap leaves messages in the middleware's queue as
bytes and empties the queues a few dozen times a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from crawler_nodes.topics import Topic

BytesCallback = Callable[[bytes, dict[str, Any]], None]  # takes a serialised message and its metadata
TopicCallbacks = list[tuple[Topic, BytesCallback]]


class Tap:
    """Subscriptions that are emptied on request; `drain` passes each message's bytes to the topic's callback."""

    def __init__(self, node: Node, topics: Sequence[tuple[Topic, BytesCallback]]) -> None:
        self._entries = [(_subscribe(node, topic), callback) for topic, callback in topics]

    def drain(self) -> int:
        """Take all waiting messages; return their number."""
        count = 0
        for subscription, callback in self._entries:
            with subscription.handle:
                while (taken := subscription.handle.take_message(subscription.msg_type, True)) is not None:
                    callback(*taken)
                    count += 1
        return count


def _subscribe(node: Node, topic: Topic) -> Subscription:
    qos = QoSProfile(
        depth=topic.depth,
        history=HistoryPolicy.KEEP_LAST,
        reliability=ReliabilityPolicy.RELIABLE if topic.reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if topic.latched else DurabilityPolicy.VOLATILE,
    )
    return node.create_subscription(topic.type, topic.name, _reject_callback, qos, raw=True)


def _reject_callback(_message: bytes) -> None:
    raise AssertionError("a tapped subscription is drained, not spun")
