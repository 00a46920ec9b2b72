"""Subscriptions and services that survive whatever is sent: what cannot be read is refused, counted and said, here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription

from crawler_core.errors import UserError

T = TypeVar("T")

LARGEST = 100_000  # bytes: what a ring sends is mostly far less, and more would keep a node from hearing the rest

LONGEST = 300  # characters of a complaint, which may quote the message


class SafeSubscriptions:
    """What one node hears; `refused` counts what it could not read, and `complain` gets a sentence on each.

    The services that every node has, of parameters and transitions, are in its care too: rclpy raises on a request that
    it does not understand, and so would end the node.
    """

    def __init__(self, node: Node, complain: Callable[[str], None]) -> None:
        self.refused = 0
        self._node = node
        self._complain = complain
        for service in node.services:
            service.callback = partial(self._serve, service.callback, service.srv_name)

    def _serve(self, callback: Callable[[Any, Any], Any], name: str, request: Any, response: Any) -> Any:
        try:
            return callback(request, response)
        except Exception as error:
            reason = self._refuse(f"a request to {name} is refused: {error}")
            response = response.__class__()  # by default it says no, where it says either
            refusal = SetParametersResult(successful=False, reason=reason)
            if hasattr(response, "results"):
                response.results = [refusal] * len(request.parameters)
            elif hasattr(response, "result"):
                response.result = refusal
            return response

    def _refuse(self, sentence: str) -> str:
        self.refused += 1
        said = sentence if len(sentence) <= LONGEST else f"{sentence[:LONGEST]}…"
        self._complain(said)
        return said

    def listen(
        self,
        kind: Any,
        topic: str,
        read: Callable[[Any], T],
        act: Callable[[T], None],
        qos: QoSProfile | int = 10,
        largest: int = LARGEST,
        decode: Callable[[bytes], Any] | None = None,
    ) -> Subscription:
        """Call `act` with what `read` makes of each message, which `decode` has made of its bytes.

        `read` depends on nothing but the message, so whatever it raises is the message's fault; a UserError's sentence
        is passed on. What `act` raises is a fault of the node.
        """

        made = decode or partial(deserialize_message, message_type=kind)

        def hear(data: bytes) -> None:
            try:
                if len(data) > largest:
                    raise UserError(f"a message on {topic} has {len(data)} bytes: no ring needs more than {largest}.")
                meant = read(made(data))
            except Exception as error:
                told = isinstance(error, UserError)
                self._refuse(str(error) if told else f"a message on {topic} cannot be read: {error!r}")
                return
            act(meant)

        return self._node.create_subscription(kind, topic, hear, qos, raw=True)
