"""Publishes robot_description, and the frames of the links from joint_states.

It stands in for robot_state_publisher, which not every machine has, and does the same for every robot of the stack.
"""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.messages import set_stamp, stamp_ns
from crawler_core.node_main import run_node
from crawler_core.parameters import parameter
from crawler_core.robot import load_robot
from crawler_core.ros_parameters import declare, refuse_unknown
from crawler_core.urdf import build_urdf
from crawler_core.yaml_file import parse_yaml
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from crawler_bringup.frames import Frame, read_frames


@dataclass(frozen=True)
class DescriptionSettings:
    """Parameters of the node."""

    robot: str = parameter("three_link", doc="installed robot, or the path of a robot.yaml", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)
    tf_rate: float = parameter(30.0, unit="Hz", low=0.1, high=1000.0, doc="link frames per second", constant=True)


class DescriptionNode(Node):
    """robot_description once, /tf_static once, /tf with the joints."""

    def __init__(self) -> None:
        super().__init__("description")
        settings = declare(self, DescriptionSettings)
        refuse_unknown(self, section="description")
        spec = load_robot(settings.robot, parse_yaml(settings.robot_overrides, "robot_overrides"))
        urdf = build_urdf(spec)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.create_publisher(String, "robot_description", latched)
        self._description.publish(String(data=urdf))
        self._prefix = self.get_namespace().strip("/")
        frames = read_frames(urdf)
        self._moving = [frame for frame in frames if frame.joint]
        self._static_out = self.create_publisher(TFMessage, "/tf_static", latched)
        self._static_out.publish(TFMessage(transforms=[self._transform(f, 0.0, 0) for f in frames if not f.joint]))
        self._tf_out = self.create_publisher(TFMessage, "/tf", 10)
        self._sent = -1
        self._period = round(1e9 / settings.tf_rate)
        newest = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self.create_subscription(JointState, "joint_states", self._on_state, newest)

    def _on_state(self, message: JointState) -> None:
        now = stamp_ns(message.header.stamp)
        if 0 <= now - self._sent < self._period:
            return
        self._sent = now
        angles = dict(zip(message.name, message.position, strict=False))
        self._tf_out.publish(
            TFMessage(transforms=[self._transform(f, angles[f.joint], now) for f in self._moving if f.joint in angles])
        )

    def _transform(self, frame: Frame, angle: float, now: int) -> TransformStamped:
        position, quaternion = frame.at(angle)
        message = TransformStamped(child_frame_id=self._name(frame.child))
        message.header.frame_id = self._name(frame.parent)
        set_stamp(message.header.stamp, now)
        move, turn = message.transform.translation, message.transform.rotation
        move.x, move.y, move.z = position
        turn.w, turn.x, turn.y, turn.z = quaternion
        return message

    def _name(self, link: str) -> str:
        return f"{self._prefix}/{link}" if self._prefix else link


def main() -> None:
    run_node(DescriptionNode, nap=0.01)
