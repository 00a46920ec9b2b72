"""Records a run as a rosbag2 directory with MCAP storage, which Foxglove, rosbag2 and rosbags open."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.serialization import serialize_message
from rosbags.interfaces import Connection
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_nodes.node_main import run_loop
from crawler_nodes.ros_parameters import declare, refuse_unknown
from crawler_nodes.tap import Tap, Topic

STAMPED = (JointState, ContactStateArray, ControllerState, DiagnosticArray, Odometry, JointTrajectory)
TOPICS = (
    Topic("joint_states", JointState, depth=5000),
    Topic("joint_commands", JointState, depth=5000),
    Topic("contact_states", ContactStateArray, depth=5000),
    Topic("odom", Odometry),
    Topic("controller_state", ControllerState),
    Topic("gait_reference", JointTrajectory, latched=True),
    Topic("robot_description", String, latched=True, depth=1),
    Topic("/tf", TFMessage),
    Topic("/tf_static", TFMessage, latched=True, depth=10),
    Topic("diagnostics", DiagnosticArray),
    Topic("/parameter_events", ParameterEvent),
)
RUN_TOPIC = "run_description"
DRAIN_EVERY = 0.05  # s


@dataclass(frozen=True)
class RecorderSettings:
    """Parameters of the node."""

    directory: str = parameter("recording", doc="where the recording goes; must not exist yet", constant=True)
    run: str = parameter("", doc="YAML that describes the run, kept as the first message", constant=True)


class RecorderNode(Node):
    """Taps every topic of the ring and writes the bytes as they come.

    Messages are filed under their own stamps, so a run that went faster than real time plays back at its own pace.
    """

    def __init__(self) -> None:
        super().__init__("recorder")
        settings = declare(self, RecorderSettings)
        refuse_unknown(self, section="recorder")
        self._store = get_typestore(Stores.ROS2_JAZZY)
        for file in sorted(Path(get_package_share_directory("crawler_interfaces"), "msg").glob("*.msg")):
            self._store.register(get_types_from_msg(file.read_text(), f"crawler_interfaces/msg/{file.stem}"))
        try:
            self._writer = Writer(settings.directory, version=9, storage_plugin=StoragePlugin.MCAP)
            self._writer.open()
        except (WriterError, OSError) as error:
            raise UserError(f"the recording {settings.directory} cannot be written: {error}.") from None
        self._now = 0
        self.count = 0
        taps = []
        for topic in TOPICS:
            name = self.resolve_topic_name(topic.name)
            connection = self._connect(name, topic.type)
            taps.append((topic, self._writing(connection, topic.type)))
        about = self._connect(self.resolve_topic_name(RUN_TOPIC), String)
        self._writer.write(about, 0, serialize_message(String(data=settings.run)))
        self._tap = Tap(self, taps)

    def drain(self) -> None:
        """Write what has come."""
        self.count += self._tap.drain()

    def close(self) -> None:
        """Write what is left and finish the file."""
        self.drain()
        self._writer.close()
        print(f"{self.count} messages recorded", file=sys.stderr)

    def _connect(self, name: str, kind: type) -> Connection:
        package = kind.__module__.split(".")[0]
        return self._writer.add_connection(name, f"{package}/msg/{kind.__name__}", typestore=self._store)

    def _writing(self, connection: Connection, kind: type) -> Callable[[bytes, dict[str, Any]], None]:
        stamped = kind in STAMPED

        def write(data: bytes, _info: dict[str, Any]) -> None:
            stamp = self._now
            if stamped:
                seconds, nanoseconds = int.from_bytes(data[4:8], "little"), int.from_bytes(data[8:12], "little")
                stamp = seconds * 1_000_000_000 + nanoseconds
                self._now = max(self._now, stamp)
            self._writer.write(connection, stamp, data)

        return write


def record(node: RecorderNode, asked_to_end: Callable[[], bool]) -> None:
    """Write until asked to end."""
    while not asked_to_end():
        node.drain()
        time.sleep(DRAIN_EVERY)


def main() -> None:
    run_loop(RecorderNode, record, leave=RecorderNode.close)
