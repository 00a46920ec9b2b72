"""Driving from the page: its velocities as cmd_vel, with a dead man."""

from __future__ import annotations

import math
from typing import Any

from geometry_msgs.msg import Twist
from rclpy.node import Node
from rclpy.publisher import Publisher

from crawler_nodes.topics import CMD_VEL, create_publisher

DRIVE_TIMEOUT_S = 0.3  # without a velocity from the page, after which the robot shall stand still


class VelocityPublisher:
    """Publishes cmd_vel while a page drives, and a zero once it falls silent.

    The publisher exists only meanwhile, since the gait node prepares to be driven where there is one.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher: Publisher | None = None
        self._moves_until = -math.inf  # s on the steady clock; in the past: it has been told to stand still

    def take(self, command: dict[str, Any], now: float) -> None:
        """Take {"forward": m/s, "yaw": rad/s}, or {"on": true} and {"on": false} where driving begins and ends."""
        if command.get("on") is False:
            self._publish(0.0, 0.0)
            if self._publisher is not None:
                self._node.destroy_publisher(self._publisher)
            self._publisher, self._moves_until = None, -math.inf
            return
        if self._publisher is None:
            self._publisher = create_publisher(self._node, CMD_VEL)
        forward, yaw = (command.get(key) for key in ("forward", "yaw"))
        if not all(isinstance(value, int | float) and math.isfinite(value) for value in (forward, yaw)):
            return
        self._publish(float(forward or 0), float(yaw or 0))
        self._moves_until = now + DRIVE_TIMEOUT_S if forward or yaw else -math.inf

    def check(self, now: float) -> None:
        """Stop the robot where the page that drives has fallen silent."""
        if -math.inf < self._moves_until < now:
            self._moves_until = -math.inf
            self._publish(0.0, 0.0)

    def _publish(self, forward: float, yaw: float) -> None:
        if self._publisher is not None:
            message = Twist()
            message.linear.x, message.angular.z = forward, yaw
            self._publisher.publish(message)
