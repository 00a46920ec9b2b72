"""Subscriptions that have no effect on the stack."""

from __future__ import annotations

import rclpy
from rclpy.node import Node

from crawler_nodes.transport.tap import Tap, TopicCallbacks
from crawler_view.scene.live_state import LiveState


class PassiveSubscriber:
    """The subscriptions of a `LiveState`, on a node of their own: tapped subscriptions must not be spun."""

    def __init__(self, node: Node, state: LiveState, more: TopicCallbacks | None = None) -> None:
        """Subscribe in the namespace of `node`, also to the topics in `more`."""
        self._state = state
        self._node = rclpy.create_node(
            f"{node.get_name()}_subscriber",
            context=node.context,
            namespace=node.get_namespace(),
            start_parameter_services=False,
            use_global_arguments=False,
        )
        self._taps = [Tap(self._node, [*state.topics(), *(more or [])])]

    def take_messages(self) -> None:
        """Pass on the messages that wait. Subscribe to joint_states once time passes."""
        for tap in self._taps:
            tap.drain()
        if self._state.is_running and len(self._taps) == 1:
            self._taps.append(Tap(self._node, self._state.joint_topics()))

    def close(self) -> None:
        """End the subscriptions."""
        self._node.destroy_node()
