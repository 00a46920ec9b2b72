"""Subscription to cmd_vel with the type that its publishers use: Twist or TwistStamped.

One DDS participant can have one type per topic, so the subscription changes with the publishers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.subscription import Subscription

from crawler_nodes.topics import CMD_VEL
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions
from gait_generators.node.twist_parsing import read_stamped_twist, read_twist
from gait_generators.steering.velocity_command import VelocityCommand

POLL_PERIOD_S = 0.1
TYPES = {"geometry_msgs/msg/Twist": Twist, "geometry_msgs/msg/TwistStamped": TwistStamped}


class CmdVelSubscription:
    """Calls `on_command` for each readable command, and `on_publisher` once there is a publisher."""

    def __init__(
        self,
        node: Node,
        safe_subscriptions: SafeSubscriptions,
        on_command: Callable[[VelocityCommand], None],
        on_publisher: Callable[[], None],
    ) -> None:
        self.warning = ""  # why some publishers are not read; empty where all are
        self.type: type = Twist
        self._node, self._safe_subscriptions = node, safe_subscriptions
        self._on_command, self._on_publisher = on_command, on_publisher
        self._subscription = self._subscribe()
        node.create_timer(POLL_PERIOD_S, self._poll, clock=Clock(clock_type=ClockType.STEADY_TIME))

    @property
    def type_name(self) -> str:
        return str(self.type.__name__)

    def _subscribe(self) -> Subscription:
        parse = read_twist if self.type is Twist else self._read_stamped
        return self._safe_subscriptions.subscribe(replace(CMD_VEL, type=self.type), parse, self._on_command)

    def _read_stamped(self, message: TwistStamped) -> VelocityCommand:
        return read_stamped_twist(message, self._node.get_clock().now().nanoseconds)

    def _poll(self) -> None:
        """Follow the type of the publishers. The present one stays as long as it has one."""
        infos = self._node.get_publishers_info_by_topic(CMD_VEL.name)
        if not infos:
            self.warning = ""
            return
        self._on_publisher()
        published = {info.topic_type for info in infos}
        readable = [one for name, one in TYPES.items() if name in published]
        if readable and self.type not in readable:
            self.type = readable[0]
            self._node.destroy_subscription(self._subscription)
            self._subscription = self._subscribe()
            self._node.get_logger().info(f"cmd_vel is now read as {self.type_name}, which its publisher sends")
        unread = sorted(name for name in published if TYPES.get(name) is not self.type)
        self.warning = (
            f"cmd_vel is also published as {', '.join(unread)}, which is not read beside {self.type_name}: stop one of "
            "the publishers"
            if unread
            else ""
        )
