"""A recording on a ring's topics again: what its nodes said of themselves, and nothing that drives a robot."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import rclpy
from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions
from rosbags.highlevel import AnyReader
from rosbags.interfaces import Connection
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from crawler_nodes.backend_node.publishers import ODOM_FRAME
from crawler_nodes.messages.header import BEHIND, set_stamp
from crawler_studies.recordings.recording import is_of

# by the last part of their names; not joint_commands, gait_reference and cmd_vel, which nodes act upon
SHOWN: Mapping[str, type] = {
    "joint_states": JointState,
    "contact_states": ContactStateArray,
    "contact_estimates": ContactStateArray,
    "odom": Odometry,
    "controller_state": ControllerState,
    "motion_state": DiagnosticStatus,
    "robot_description": String,
    "tf": TFMessage,
    "tf_static": TFMessage,
    "diagnostics": DiagnosticArray,
}
LATCHED = ("motion_state", "robot_description", "tf_static")
GLOBAL = ("tf", "tf_static")  # whose frames have the namespace instead


class ReplayPublisher:
    """Publishes in a namespace; `recorded` is that of the recording, whose frames have it as a prefix."""

    def __init__(self, namespace: str, recorded: str) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("replay", context=self._context, namespace=namespace)
        self._prefix, self._recorded = f"{namespace.strip('/')}/", f"{recorded.strip('/')}/" if recorded else ""
        self._clock = self._node.create_publisher(Clock, "clock", 10)
        self._publishers = {name: self._publisher(name) for name in SHOWN}
        self.count = 0

    def __enter__(self) -> ReplayPublisher:
        return self

    def __exit__(self, *_: object) -> None:
        self._node.destroy_node()
        self._context.try_shutdown()

    def heard(self, name: str) -> bool:
        """Whether somebody listens to that topic."""
        return bool(self._publishers[name].get_subscription_count())

    def play(self, reader: AnyReader, factor: float, sleep: Callable[[float], object] = time.sleep) -> None:
        """Everything in the order in which it came, `factor` times as fast as it was."""
        shown = [connection for connection in reader.connections if _shown(connection)]
        began, first, told = time.monotonic(), reader.start_time, -1
        for connection, when, data in reader.messages(shown) if shown else ():
            ahead = (when - first) * 1e-9 / factor - (time.monotonic() - began)
            if ahead > 0.0:
                sleep(ahead)
            if when > told:
                told = when
                clock = Clock()
                set_stamp(clock.clock, when)
                self._clock.publish(clock)
            name = _name(connection)
            self._publishers[name].publish(self._renamed(name, data))
            self.count += 1

    def _publisher(self, name: str) -> Any:
        qos = QoSProfile(depth=BEHIND)
        if name in LATCHED:
            qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        return self._node.create_publisher(SHOWN[name], f"/{name}" if name in GLOBAL else name, qos)

    def _renamed(self, name: str, data: bytes) -> Any:
        """With the frames of this namespace."""
        if name == "odom":
            odometry = deserialize_message(data, Odometry)
            odometry.child_frame_id = self._frame(odometry.child_frame_id)
            return odometry
        if name in GLOBAL:
            transforms = deserialize_message(data, TFMessage)
            for one in transforms.transforms:
                one.header.frame_id = self._frame(one.header.frame_id)
                one.child_frame_id = self._frame(one.child_frame_id)
            return transforms
        return data

    def _frame(self, name: str) -> str:
        return name if name == ODOM_FRAME else f"{self._prefix}{name.removeprefix(self._recorded)}"


def _name(connection: Connection) -> str:
    return connection.topic.rpartition("/")[2]


def _shown(connection: Connection) -> bool:
    kind = SHOWN.get(_name(connection))
    return kind is not None and is_of(connection, kind)
