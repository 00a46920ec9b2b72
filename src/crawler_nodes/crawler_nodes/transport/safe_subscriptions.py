"""Subscriptions and services that survive any message: one that cannot be read is rejected, counted and reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription

from crawler_core.errors import UserError
from crawler_nodes.topics import Topic

ParsedT = TypeVar("ParsedT")

MAX_MESSAGE_BYTES = 100_000  # far above what a stack sends; parsing more would block the node
MAX_REASON_CHARACTERS = 300  # a reason may quote the message


class SafeSubscriptions:
    """The validated subscriptions of one node. `rejected` counts; `report` gets a sentence on each rejection.

    The services that every node has (parameters, lifecycle transitions) are wrapped too: rclpy raises on a request that
    it cannot read, which would end the node.
    """

    def __init__(self, node: Node, report: Callable[[str], None]) -> None:
        self.rejected = 0
        self._node = node
        self._report = report
        for service in node.services:
            service.callback = partial(self._serve, service.callback, service.srv_name)

    def subscribe(
        self,
        topic: Topic,
        parse: Callable[[Any], ParsedT],
        callback: Callable[..., None],
        *,
        depth: int | None = None,
        max_bytes: int = MAX_MESSAGE_BYTES,
        decode: Callable[[bytes], Any] | None = None,
        qos: QoSProfile | None = None,
        with_info: bool = False,
    ) -> Subscription:
        """Call `callback` with the result of `parse` for each message, which `decode` makes of its bytes.

        `parse` depends on nothing but the message, so any error in it rejects the message; the text of a UserError is
        reported as it is. An error in `callback` is a fault of the node. The queue's `depth` is 10, or 1 for a latched
        topic, unless given; its quality of service is the topic's, unless given. `with_info` passes the middleware's
        information on the message to `callback` too.
        """
        decode_bytes = decode or partial(deserialize_message, message_type=topic.type)

        def receive(data: bytes, *info: Mapping[str, Any]) -> None:
            try:
                if len(data) > max_bytes:
                    raise UserError(
                        f"a message on {topic.name} has {len(data)} bytes: it must have at most {max_bytes}."
                    )
                parsed = parse(decode_bytes(data))
            except UserError as error:
                self._reject(str(error))
            except Exception as error:
                self._reject(f"a message on {topic.name} cannot be read: {error!r}")
            else:
                callback(parsed, *info)

        def receive_with_info(data: bytes, info: Mapping[str, Any]) -> None:
            receive(data, info)

        chosen_qos = qos or topic.qos_with_depth(depth or (1 if topic.latched else 10))
        receiver: Any = receive_with_info if with_info else receive
        return self._node.create_subscription(topic.type, topic.name, receiver, chosen_qos, raw=True)

    def _serve(self, callback: Callable[[Any, Any], Any], name: str, request: Any, response: Any) -> Any:
        try:
            return callback(request, response)
        except Exception as error:
            reason = self._reject(f"a request to {name} is rejected: {error}")
            response = response.__class__()  # its default is a failure
            failure = SetParametersResult(successful=False, reason=reason)
            if hasattr(response, "results"):
                response.results = [failure] * len(request.parameters)
            elif hasattr(response, "result"):
                response.result = failure
            return response

    def _reject(self, reason: str) -> str:
        self.rejected += 1
        short = reason if len(reason) <= MAX_REASON_CHARACTERS else f"{reason[:MAX_REASON_CHARACTERS]}…"
        self._report(short)
        return short
