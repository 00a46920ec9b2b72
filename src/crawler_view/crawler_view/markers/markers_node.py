"""The markers node: publishes the feet of a stack as markers for RViz, in the namespace of the stack.

Like the page it only subscribes, and never asks for lost messages again.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from crawler_core.parameters import parameter
from crawler_nodes.messages.header import set_stamp
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import NodeParameters
from crawler_nodes.topics import CONTACT_MARKERS, ODOM_FRAME, create_publisher, frame_name
from crawler_view.markers.contact_markers import clear_markers, contact_markers
from crawler_view.scene.kinematics import Kinematics
from crawler_view.scene.live_state import LiveState
from crawler_view.scene.meshes import bounding_points, scene_meshes
from crawler_view.scene.passive_subscriber import PassiveSubscriber

MAX_TRAIL_POINTS = 500
TRAIL_SPACING, MAX_TRAIL_JUMP = 0.02, 3.0  # robot lengths between two points; a longer jump starts a new trail
FORCE_DECAY = 0.999  # of the largest force, per message
IDENTITY_POSE = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


@dataclass(frozen=True)
class MarkersSettings:
    """The node's parameters."""

    rate: float = parameter(20.0, unit="Hz", lower=1.0, upper=30.0, doc="most messages per second", constant=True)


class MarkersNode(Node):
    """Follows the stack, and publishes while there are subscribers."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("markers", **node_options)
        parameters = NodeParameters(self)
        settings = parameters.declare(MarkersSettings)
        parameters.reject_unknown(section="markers")
        self._state = LiveState(as_believed=True)  # as /tf has the robot
        self._subscriber = PassiveSubscriber(self, self._state)
        self._publisher = create_publisher(self, CONTACT_MARKERS)
        self._shown, self._scene_count = b"", 0
        self._base, self._length, self._largest = "", 0.0, 0.0
        self._trail: deque[Point] = deque(maxlen=MAX_TRAIL_POINTS)
        self._prefix = self.get_namespace().strip("/")
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # simulated time may stand still
        self.create_timer(1.0 / settings.rate, self._update, clock=steady)

    def destroy_node(self) -> None:
        self._subscriber.close()
        super().destroy_node()

    def _update(self) -> None:
        self._subscriber.take_messages()
        state = self._state
        if state.latest_state is self._shown or state.scene is None:
            return
        if self._scene_count != state.scene_count:
            self._scene_count = state.scene_count
            self._set_scene(state.scene)
        self._shown = state.latest_state
        frame = state.frame()
        if frame is None:
            return
        has_base = frame["base"] is not None
        poses = self._kinematics.at(frame if has_base else {**frame, "base": IDENTITY_POSE})
        if not self._length:
            self._length = float(np.ptp(bounding_points(self._meshes, poses), axis=0).max()) or 1.0
        if has_base:
            self._extend_trail(*frame["base"][:3])
        sizes = [math.hypot(*foot["force"]) for foot in frame["feet"] if None not in foot["force"]]
        self._largest = max(FORCE_DECAY * self._largest, *sizes, 0.0)
        if not self._publisher.get_subscription_count():
            return
        stamp = Time()
        set_stamp(stamp, round(frame["t"] * 1e9))
        frame_id = frame_name(self._prefix, ODOM_FRAME if has_base else self._base)
        self._publisher.publish(
            contact_markers(frame["feet"], poses, self._trail, self._largest, self._length, frame_id, stamp)
        )

    def _set_scene(self, scene: dict[str, Any]) -> None:
        """Start again with another robot."""
        self._kinematics, self._meshes = Kinematics(scene), scene_meshes(scene)
        self._base, self._length, self._largest = scene["base"], 0.0, 0.0
        self._trail.clear()
        self._publisher.publish(clear_markers(frame_name(self._prefix, ODOM_FRAME)))

    def _extend_trail(self, x: float, y: float, z: float) -> None:
        last = self._trail[-1] if self._trail else None
        step = math.inf if last is None else math.dist((x, y, z), (last.x, last.y, last.z))
        if last is not None and step > MAX_TRAIL_JUMP * self._length:
            self._trail.clear()
        if step > TRAIL_SPACING * self._length:
            self._trail.append(Point(x=x, y=y, z=z))


def main() -> None:
    run_node(MarkersNode)
