"""Subscriptions that survive every message: what cannot be read is refused, counted and said, in this one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription

from crawler_core.errors import UserError

T = TypeVar("T")

LARGEST = 100_000  # bytes: what a ring sends is mostly far less, and more would keep a node from hearing the rest

LONGEST = 300  # characters of a complaint, which may quote the message


class Hearing:
    """What one node hears; `refused` counts what it could not read, and `complain` gets a sentence on each."""

    def __init__(self, node: Node, complain: Callable[[str], None]) -> None:
        self.refused = 0
        self._node = node
        self._complain = complain

    def listen(
        self,
        kind: Any,
        topic: str,
        read: Callable[[Any], T],
        act: Callable[[T], None],
        qos: QoSProfile | int = 10,
        largest: int = LARGEST,
    ) -> Subscription:
        """Call `act` with what `read` makes of each message.

        `read` depends on nothing but the message, so whatever it raises is the message's fault; a UserError's sentence
        is passed on. What `act` raises is a fault of the node.
        """

        def hear(data: bytes) -> None:
            try:
                if len(data) > largest:
                    raise UserError(f"a message on {topic} has {len(data)} bytes: no ring needs more than {largest}.")
                meant = read(deserialize_message(data, kind))
            except Exception as error:
                self.refused += 1
                told = isinstance(error, UserError)
                sentence = str(error) if told else f"a message on {topic} cannot be read: {error!r}"
                self._complain(sentence if len(sentence) <= LONGEST else f"{sentence[:LONGEST]}…")
                return
            act(meant)

        return self._node.create_subscription(kind, topic, hear, qos, raw=True)
