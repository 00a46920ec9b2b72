"""Publishes cmd_vel for a running stack and reads its range, its answer and its speed."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from crawler_core.gait_metrics.heading import Heading
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.topics import CMD_VEL, DIAGNOSTICS, GROUND_TRUTH, ODOM

MIN_WINDOW_S, MAX_WINDOW_S = 0.5, 30.0  # of the robot's time, over which the speed is measured: a stride


class DriveClient:
    """The stack in one namespace, as somebody sees it who drives."""

    def __init__(self, node: Node, namespace: str) -> None:
        prefix = f"/{namespace}/" if namespace else "/"
        self.gait: dict[str, str] = {}  # diagnostics of the gait node
        self.notes = ""  # its message
        self.motion = ""  # motion state by the backend's diagnostics
        self._gait_name, self._backend_name = f"{prefix}gait".lstrip("/"), f"{prefix}backend".lstrip("/")
        self._track: deque[tuple[float, float, float, float]] = deque()  # s, m, m and heading
        self._publisher = node.create_publisher(Twist, prefix + CMD_VEL.name, CMD_VEL.qos)
        node.create_subscription(DiagnosticArray, prefix + DIAGNOSTICS.name, self._on_diagnostics, 10)
        newest = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._has_truth = False
        node.create_subscription(Odometry, prefix + GROUND_TRUTH.name, self._on_truth, newest)
        node.create_subscription(Odometry, prefix + ODOM.name, self._on_odometry, newest)

    def send(self, forward: float, yaw: float) -> None:
        """Publish a velocity (m/s, rad/s to the left)."""
        message = Twist()
        message.linear.x, message.angular.z = forward, yaw
        self._publisher.publish(message)

    def limit(self, name: str) -> float | None:
        """Return one number of the gait node's range (m/s or rad/s); None as long as it is not known."""
        text = self.gait.get(name, "")
        return float(text) if text else None

    @property
    def measured(self) -> float | None:
        """Return the speed along the heading over the last stride (m/s); None as long as it is not known."""
        if len(self._track) < 2:
            return None
        (begin, x0, y0, heading), (end, x1, y1, _) = self._track[0], self._track[-1]
        if end <= begin:
            return None
        return ((x1 - x0) * math.cos(heading) + (y1 - y0) * math.sin(heading)) / (end - begin)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            values = {value.key: value.value for value in status.values}
            if status.name == self._gait_name:
                self.gait, self.notes = values, status.message
            elif status.name == self._backend_name:
                self.motion = values.get("motion", "")

    def _on_truth(self, message: Odometry) -> None:
        if not self._has_truth:
            self._has_truth = True
            self._track.clear()
        self._add(message)

    def _on_odometry(self, message: Odometry) -> None:
        if not self._has_truth:
            self._add(message)

    def _add(self, message: Any) -> None:
        time_s, pose = stamp_ns(message.header.stamp) * 1e-9, message.pose.pose
        q = pose.orientation
        if not math.isfinite(pose.position.x + pose.position.y + q.w + q.x + q.y + q.z):
            return
        if self._track and time_s < self._track[-1][0]:
            self._track.clear()
        self._track.append((time_s, pose.position.x, pose.position.y, Heading.of((q.w, q.x, q.y, q.z)).yaw))
        window = min(max(float(self.gait.get("period") or 0.0), MIN_WINDOW_S), MAX_WINDOW_S)
        while len(self._track) > 2 and time_s - self._track[1][0] >= window:
            self._track.popleft()
