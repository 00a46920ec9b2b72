"""Shows a robot without a backend: robot_description, and the links' frames from whoever publishes joint_states."""

from __future__ import annotations

from dataclasses import dataclass

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from crawler_core.parameters import parameter
from crawler_core.robot import load_robot
from crawler_core.urdf import build_urdf
from crawler_core.yaml_file import parse_yaml
from crawler_nodes.link_frames import LinkFrames
from crawler_nodes.messages import stamp_ns
from crawler_nodes.node_main import run_node
from crawler_nodes.ros_parameters import declare, refuse_unknown


@dataclass(frozen=True)
class DescriptionSettings:
    """Parameters of the node."""

    robot: str = parameter("three_link", doc="installed robot, or the path of a robot.yaml", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)


class DescriptionNode(Node):
    """robot_description once, /tf_static once, /tf with the joints."""

    def __init__(self) -> None:
        super().__init__("description")
        settings = declare(self, DescriptionSettings)
        refuse_unknown(self, section="description")
        urdf = build_urdf(load_robot(settings.robot, parse_yaml(settings.robot_overrides, "robot_overrides")))
        self._frames = LinkFrames(urdf, self.get_namespace().strip("/"))
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_publisher(String, "robot_description", latched).publish(String(data=urdf))
        self.create_publisher(TFMessage, "/tf_static", latched).publish(self._frames.static)
        self._tf_out = self.create_publisher(TFMessage, "/tf", 10)
        self.create_subscription(JointState, "joint_states", self._on_state, 10)

    def _on_state(self, message: JointState) -> None:
        transforms = self._frames.moving(stamp_ns(message.header.stamp), message.name, message.position)
        self._tf_out.publish(TFMessage(transforms=transforms))


def main() -> None:
    run_node(DescriptionNode)
