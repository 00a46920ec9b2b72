"""The markers node: publishes what RViz shows of a ring's feet, below the ring's namespace, as `contact_markers`.

Like the page it only listens, and asks for nothing to be sent again.
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
from visualization_msgs.msg import MarkerArray

from crawler_core.parameters import parameter
from crawler_nodes.backend_node.publishers import ODOM_FRAME
from crawler_nodes.messages.header import set_stamp
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import declare, refuse_unknown
from crawler_view.markers.contact_markers import clear, contact_markers
from crawler_view.scene.kinematics import Kinematics
from crawler_view.scene.live_state import LiveState
from crawler_view.scene.meshes import around, scene_meshes
from crawler_view.scene.passive_subscriber import PassiveSubscriber

POINTS = 500  # of the trail
APART, AWAY = 0.02, 3.0  # robot's lengths: between two of them; and a step after which the way begins anew
FADES = 0.999  # how much of the largest force is remembered from one picture to the next
AT_ORIGIN = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


@dataclass(frozen=True)
class MarkersSettings:
    """The node's parameters."""

    rate: float = parameter(20.0, unit="Hz", low=1.0, high=30.0, doc="markers a second, at most", constant=True)


class MarkersNode(Node):
    """Listens to the ring, and publishes while somebody looks."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("markers", **node_options)
        settings = declare(self, MarkersSettings)
        refuse_unknown(self, section="markers")
        self._state = LiveState()
        self._ears = PassiveSubscriber(self, self._state)
        self._publisher = self.create_publisher(MarkerArray, "contact_markers", 10)
        self._shown, self._scenes = b"", 0
        self._base, self._length, self._largest = "", 0.0, 0.0
        self._trail: deque[Point] = deque(maxlen=POINTS)
        self._prefix = self.get_namespace().strip("/")
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # simulated time may stand still
        self.create_timer(1.0 / settings.rate, self._turn, clock=steady)

    def destroy_node(self) -> None:
        self._ears.close()
        super().destroy_node()

    def _turn(self) -> None:
        self._ears.listen()
        state = self._state
        if state.latest is self._shown or state.scene is None:
            return
        if self._scenes != state.scenes:
            self._scenes = state.scenes
            self._begin(state.scene)
        self._shown = state.latest
        frame = state.frame()
        if frame is None:
            return
        known = frame["base"] is not None
        poses = self._kinematics.at(frame if known else {**frame, "base": AT_ORIGIN})
        if not self._length:
            self._length = float(np.ptp(around(self._meshes, poses), axis=0).max()) or 1.0
        if known:
            self._follow(*frame["base"][:3])
        sizes = [math.hypot(*foot["force"]) for foot in frame["feet"] if None not in foot["force"]]
        self._largest = max(FADES * self._largest, *sizes, 0.0)
        if not self._publisher.get_subscription_count():
            return
        stamp = Time()
        set_stamp(stamp, round(frame["t"] * 1e9))
        where = ODOM_FRAME if known else f"{self._prefix}/{self._base}".lstrip("/")
        self._publisher.publish(
            contact_markers(frame["feet"], poses, self._trail, self._largest, self._length, where, stamp)
        )

    def _begin(self, scene: dict[str, Any]) -> None:
        """Another robot."""
        self._kinematics, self._meshes = Kinematics(scene), scene_meshes(scene)
        self._base, self._length, self._largest = scene["base"], 0.0, 0.0
        self._trail.clear()
        self._publisher.publish(clear(ODOM_FRAME))

    def _follow(self, x: float, y: float, z: float) -> None:
        last = self._trail[-1] if self._trail else None
        step = math.inf if last is None else math.dist((x, y, z), (last.x, last.y, last.z))
        if last is not None and step > AWAY * self._length:
            self._trail.clear()
        if step > APART * self._length:
            self._trail.append(Point(x=x, y=y, z=z))


def main() -> None:
    run_node(MarkersNode)
