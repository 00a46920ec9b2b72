"""Listening to a ring that must not notice: a node of its own, since what is tapped must not be spun."""

from __future__ import annotations

import rclpy
from rclpy.node import Node

from crawler_nodes.run_log.log import Topics
from crawler_nodes.transport.tap import Tap
from crawler_view.scene.live_state import LiveState


class PassiveSubscriber:
    """What `state` hears of the ring in the namespace of `node`, and `more` besides."""

    def __init__(self, node: Node, state: LiveState, more: Topics | None = None) -> None:
        self._state = state
        self._node = rclpy.create_node(
            f"{node.get_name()}_ears",
            context=node.context,
            namespace=node.get_namespace(),
            start_parameter_services=False,
            use_global_arguments=False,
        )
        self._taps = [Tap(self._node, [*state.topics(), *(more or [])])]

    def listen(self) -> None:
        """Take what has come."""
        for tap in self._taps:
            tap.drain()
        if self._state.running and len(self._taps) == 1:
            self._taps.append(Tap(self._node, self._state.joints()))

    def close(self) -> None:
        """Hear no more."""
        self._node.destroy_node()
