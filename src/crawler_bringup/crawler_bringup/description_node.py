"""The description node: shows a robot without a backend, with its joints where the user's sliders are.

The sliders publish every joint, even the passive ones of closed chains. This node closes the loops again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.linkages.loop_closure_solver import LoopClosureSolver
from crawler_core.parameters import parameter
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.messages.link_frames import LinkFrames
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import NodeParameters, robot_from_parameters
from crawler_nodes.topics import JOINT_STATES, ROBOT_DESCRIPTION, TF, TF_STATIC, create_publisher


@dataclass(frozen=True)
class DescriptionSettings:
    """Parameters of the node."""

    robot: str = parameter("", doc="installed robot, or the path of a robot.yaml; empty: the default", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)


class DescriptionNode(Node):
    """Publishes robot_description and /tf_static once, joint_states and /tf for each message of slider_states."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("description", **node_options)
        parameters = NodeParameters(self)
        parameters.declare(DescriptionSettings)
        parameters.reject_unknown(section="description")
        self._spec = robot_from_parameters(self)
        urdf = build_urdf(self._spec)
        self._closure = LoopClosureSolver(self._spec, urdf)
        self._frames = LinkFrames(urdf, self.get_namespace().strip("/"), self._spec.base_link)
        self._latched = [create_publisher(self, ROBOT_DESCRIPTION), create_publisher(self, TF_STATIC)]
        for publisher, message in zip(self._latched, (String(data=urdf), self._frames.static), strict=True):
            publisher.publish(message)
        self._states_out = create_publisher(self, JOINT_STATES)
        self._tf_out = create_publisher(self, TF)
        self._loop_error = ""  # reported already
        self.create_subscription(JointState, "slider_states", self._on_sliders, 10)

    def _on_sliders(self, message: JointState) -> None:
        sliders = dict(zip(message.name, message.position, strict=False))
        position = np.array([sliders.get(joint.name, joint.home) for joint in self._spec.joints])
        try:
            position, _ = self._closure.complete(position, np.zeros_like(position))
        except UserError as error:
            if str(error) != self._loop_error:
                self._loop_error = str(error)
                self.get_logger().warning(self._loop_error)
            return  # the robot stays in its last possible pose
        self._loop_error = ""
        names = list(self._spec.joint_names)
        state = JointState(name=names, position=position.tolist())
        state.header.stamp = message.header.stamp
        self._states_out.publish(state)
        transforms = self._frames.moving(stamp_ns(message.header.stamp), names, position.tolist())
        self._tf_out.publish(TFMessage(transforms=transforms))


def main() -> None:
    run_node(DescriptionNode)
