"""What a backend node publishes of each state: joints, contacts, time, odometry, frames."""

from __future__ import annotations

from crawler_interfaces.msg import ContactStateArray
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Observation
from crawler_core.description.urdf import build_urdf
from crawler_nodes.messages.header import BEHIND, BaseWriter, ContactWriter, JointStateWriter, set_stamp
from crawler_nodes.messages.link_frames import LinkFrames

ODOM_FRAME = "odom"


class BackendPublishers:
    """The publishers of one backend node; the robot's description and fixed frames go out at once."""

    def __init__(self, node: Node, spec: RobotSpec, simulated: bool, name: str) -> None:
        """`name` is the backend's, as `speakers.own_name` gives it."""
        self._names = spec.joint_names
        self._clock_out = node.create_publisher(Clock, "/clock", 10) if simulated else None
        self._clock = Clock()
        self._states_out = node.create_publisher(JointState, "joint_states", BEHIND)
        self._states = JointStateWriter(spec.joint_names)
        self._states.message.header.frame_id = name
        self._contacts_out = node.create_publisher(ContactStateArray, "contact_states", BEHIND)
        self._contacts = ContactWriter(ODOM_FRAME, spec.foot_names)
        self._odom_out = node.create_publisher(Odometry, "odom", BEHIND)
        self._tf_out = node.create_publisher(TFMessage, "/tf", 10)
        prefix = node.get_namespace().strip("/")
        self._base = BaseWriter(ODOM_FRAME, f"{prefix}/{spec.base_link}" if prefix else spec.base_link)
        urdf = build_urdf(spec)
        self._links = LinkFrames(urdf, prefix)
        self._odom_due = self._tf_due = 0
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._latched = (
            node.create_publisher(String, "robot_description", latched),
            node.create_publisher(TFMessage, "/tf_static", latched),
        )
        self._motion_out = node.create_publisher(DiagnosticStatus, "motion_state", latched)
        self._motion = DiagnosticStatus(name=name, hardware_id=spec.name)
        self.own = ("joint_states", "contact_states", "odom", "motion_state", *(("/clock",) if simulated else ()))
        for publisher, message in zip(self._latched, (String(data=urdf), self._links.static), strict=True):
            publisher.publish(message)

    @property
    def readers(self) -> int:
        """How many listen to joint_states."""
        return self._states_out.get_subscription_count()

    def announce(self, level: bytes, motion: str) -> None:
        """Say whether the joints may move: a `MotionState`'s value."""
        self._motion.level, self._motion.message = level, motion
        self._motion_out.publish(self._motion)

    def publish(self, observation: Observation, settings: BackendSettings) -> None:
        """Send a state. What the controller waits for goes first; the rest is sent while it works."""
        now = observation.time_ns
        self._states_out.publish(self._states.fill(observation))
        if observation.contacts and self._contacts_out.get_subscription_count():
            self._contacts_out.publish(self._contacts.fill(now, observation.contacts))
        if self._clock_out is not None:
            set_stamp(self._clock.clock, now)
            self._clock_out.publish(self._clock)
        if observation.base is not None and now >= self._odom_due:
            self._odom_due = now + round(1e9 / settings.odom_rate)
            self._odom_out.publish(self._base.fill_odometry(now, observation.base))
        if now >= self._tf_due:
            self._tf_due = now + round(1e9 / settings.tf_rate)
            transforms = self._links.moving(now, self._names, observation.position.tolist())
            if observation.base is not None:
                transforms.append(self._base.fill_transform(now, observation.base))
            self._tf_out.publish(TFMessage(transforms=transforms))
