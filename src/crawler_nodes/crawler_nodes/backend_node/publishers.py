"""The messages that a backend node publishes of each state: joints, contacts, time, odometry, frames."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from crawler_core.description.urdf import build_urdf
from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.robot_sensors import RobotSensors
from crawler_core.types import BaseState, Observation
from crawler_models.estimation.robot_estimator import RobotEstimator
from crawler_nodes.backend_node.sensor_publishers import SensorPublishers
from crawler_nodes.messages.base_writer import BaseWriter
from crawler_nodes.messages.contact_writer import ContactWriter
from crawler_nodes.messages.header import serialize_clock
from crawler_nodes.messages.joint_message import JointMessageWriter
from crawler_nodes.messages.link_frames import LinkFrames
from crawler_nodes.topics import (
    BASE_FRAME,
    CLOCK,
    CONTACT_STATES,
    GROUND_TRUTH,
    JOINT_STATES,
    MOTION_STATE,
    ODOM,
    ODOM_FRAME,
    ROBOT_DESCRIPTION,
    TF,
    TF_STATIC,
    create_publisher,
    frame_name,
)


class BackendPublishers:
    """The publishers of one backend node; the robot's description and fixed frames are published at once."""

    def __init__(
        self, node: Node, spec: RobotSpec, simulated: bool, name: str, sensors: RobotSensors | None = None
    ) -> None:
        """`name` is the backend's instance name."""
        self._names = spec.joint_names
        prefix = node.get_namespace().strip("/")
        urdf = build_urdf(spec)

        self._clock_out = create_publisher(node, CLOCK) if simulated else None
        self._states_out = create_publisher(node, JOINT_STATES)
        self._contacts_out = create_publisher(node, CONTACT_STATES)
        self._odom_out = create_publisher(node, ODOM)
        self._truth_out = create_publisher(node, GROUND_TRUTH)  # silent on motors
        self._tf_out = create_publisher(node, TF)
        self._motion_out = create_publisher(node, MOTION_STATE)
        clock = (CLOCK,) if simulated else ()
        self._sensors = None if sensors is None else SensorPublishers(node, spec, sensors, name)
        of_sensors = () if self._sensors is None else self._sensors.topics
        self.exclusive = (JOINT_STATES, CONTACT_STATES, ODOM, GROUND_TRUTH, MOTION_STATE, *clock, *of_sensors)

        self._states = JointMessageWriter(spec.joint_names, name)
        odom_frame = frame_name(prefix, ODOM_FRAME)
        self._contacts = ContactWriter(odom_frame, spec.foot_names)
        self._base = BaseWriter(odom_frame, frame_name(prefix, BASE_FRAME))
        self._truth = BaseWriter(odom_frame, frame_name(prefix, spec.base_link))
        self._links = LinkFrames(urdf, prefix, spec.base_link)
        if self._sensors is not None:
            self._links.add_fixed(self._sensors.frames)
        self._motion = DiagnosticStatus(name=name, hardware_id=spec.name)
        self._odom_due = self._tf_due = 0  # ns

        # held: a latched message lives as long as its publisher
        self._latched = (create_publisher(node, ROBOT_DESCRIPTION), create_publisher(node, TF_STATIC))
        for publisher, message in zip(self._latched, (String(data=urdf), self._links.static), strict=True):
            publisher.publish(message)

    @property
    def state_subscribers(self) -> int:
        """The number of subscriptions to joint_states."""
        return self._states_out.get_subscription_count()

    def publish_motion(self, level: bytes, motion: str) -> None:
        """Publish whether the joints may move: the value of a `MotionState`."""
        self._motion.level, self._motion.message = level, motion
        self._motion_out.publish(self._motion)

    def publish(self, observation: Observation) -> None:
        """Publish what the controller waits for. `publish_base` follows, while it works."""
        now = observation.time_ns
        if self._sensors is not None:
            self._sensors.publish_all(observation)
        rows = (observation.position, observation.velocity, observation.effort)
        self._states_out.publish(self._states.fill(now, *(row.tolist() for row in rows)))
        if observation.contacts and self._contacts_out.get_subscription_count():
            self._contacts_out.publish(self._contacts.fill(now, observation.contacts))
        if self._clock_out is not None:
            self._clock_out.publish(serialize_clock(now))
        if self._sensors is not None:
            self._sensors.publish(observation)

    def publish_base(self, observation: Observation, estimator: RobotEstimator, settings: BackendSettings) -> None:
        """Publish odometry, the truth of a simulation, and frames, when they are due."""
        now = observation.time_ns
        is_odom_due, is_tf_due = now >= self._odom_due, now >= self._tf_due
        if not (is_odom_due or is_tf_due):
            return
        estimate = estimator.estimate()
        if is_odom_due and not (estimate is None and observation.base is None):
            self._odom_due = now + round(1e9 / settings.odom_rate)
            if estimate is not None:
                self._base.fill_variances(estimate.pose_variance, estimate.twist_variance)
                self._odom_out.publish(self._base.fill_odometry(now, estimate.base))
            if observation.base is not None:
                self._truth_out.publish(self._truth.fill_odometry(now, observation.base))
        if is_tf_due:
            self._tf_due = now + round(1e9 / settings.tf_rate)
            if self._tf_out.get_subscription_count():
                base = None if estimate is None else estimate.base
                self._tf_out.publish(TFMessage(transforms=self._transforms(now, observation, base)))

    def _transforms(self, now: int, observation: Observation, base: BaseState | None) -> list[TransformStamped]:
        transforms = self._links.moving(now, self._names, observation.position.tolist())
        if base is not None:
            transforms.append(self._base.fill_transform(now, base))
        return transforms
