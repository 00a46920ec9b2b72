"""The topics of the stack: name, message type, publishing node, queues, and whether a recording has them.

Names are relative, so a namespace gives a second robot. Only /tf and /tf_static are shared.
"""

from __future__ import annotations

from dataclasses import dataclass

from crawler_interfaces.msg import ContactStateArray, ControllerState, SensorReadings
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Float64MultiArray, String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

PER_TICK = 1000  # messages for a subscriber that has fallen behind, such as a recorder
ODOM_FRAME = "odom"  # the world-fixed tf frame of odometry and contact forces, as REP 105 has it
BASE_FRAME = "base_link"  # the same pose as the robot's base link


@dataclass(frozen=True)
class Topic:
    """One topic: its message type, the node that publishes it, and its quality of service."""

    name: str
    type: type
    publisher: str = ""  # the only node that publishes it; empty: several nodes, or the operator
    latched: bool = False  # transient local: late subscribers get the last message
    publisher_depth: int = 10  # messages that the publisher keeps for slow subscribers
    depth: int = 1000  # messages that wait in the queue of a `Tap`
    reliable: bool = True  # False: a `Tap` does not ask for lost messages again
    recorded: bool = True

    @property
    def qos(self) -> QoSProfile:
        """The quality of service of its publisher."""
        return self.qos_with_depth(1 if self.latched else self.publisher_depth)

    def qos_with_depth(self, depth: int) -> QoSProfile:
        """The quality of service of a subscription with a queue of `depth` messages."""
        durability = DurabilityPolicy.TRANSIENT_LOCAL if self.latched else DurabilityPolicy.VOLATILE
        return QoSProfile(depth=depth, durability=durability)


CONTACT_STATES = Topic("contact_states", ContactStateArray, "backend", publisher_depth=PER_TICK, depth=5000)
CONTACT_ESTIMATES = Topic("contact_estimates", ContactStateArray, "controller", publisher_depth=PER_TICK, depth=5000)
ODOM = Topic("odom", Odometry, "backend", publisher_depth=PER_TICK, depth=5000)  # what the robot believes
GROUND_TRUTH = Topic("ground_truth/odom", Odometry, "backend", publisher_depth=PER_TICK, depth=5000)  # of simulations
IMU = Topic("imu/data_raw", Imu, "backend", publisher_depth=PER_TICK, depth=5000)
BATTERY_STATE = Topic("battery_state", BatteryState, "backend")
EXTERNAL_POSE = Topic("external_pose", PoseWithCovarianceStamped, "backend", publisher_depth=PER_TICK)
SENSOR_READINGS = Topic("sensor_readings", SensorReadings, "backend", publisher_depth=PER_TICK, recorded=False)
CONTROLLER_STATE = Topic("controller_state", ControllerState, "controller", publisher_depth=PER_TICK)
GAIT_REFERENCE = Topic("gait_reference", JointTrajectory, "gait", latched=True)
CMD_VEL = Topic("cmd_vel", Twist, "operator")
MOTION_STATE = Topic("motion_state", DiagnosticStatus, "backend", latched=True, depth=10)
ROBOT_DESCRIPTION = Topic("robot_description", String, "backend", latched=True, depth=1)
TF = Topic("/tf", TFMessage, "backend")
TF_STATIC = Topic("/tf_static", TFMessage, "backend", latched=True, depth=10)
DIAGNOSTICS = Topic("diagnostics", DiagnosticArray)
PARAMETER_EVENTS = Topic("/parameter_events", ParameterEvent)
CLOCK = Topic("/clock", Clock, "backend", recorded=False)  # "clock" in a namespace
CONTACT_MARKERS = Topic("contact_markers", MarkerArray, "markers", recorded=False)
# commands of a user's own node where no controller runs, beside joint_commands
JOINT_TRAJECTORY = Topic("joint_trajectory", JointTrajectory, "controller", reliable=False)
COMMANDS = Topic("commands", Float64MultiArray, "controller", reliable=False)
JOINT_COMMANDS = Topic("joint_commands", JointState, "controller", publisher_depth=PER_TICK, depth=5000)
JOINT_STATES = Topic("joint_states", JointState, "backend", publisher_depth=PER_TICK, depth=5000)

# A recorder subscribes in this order. The last two are last of their publishers: DDS announces subscriptions in order,
# so a controller or backend that sees them subscribed knows that the recorder has all its other topics too.
TOPICS = (
    *(CONTACT_STATES, CONTACT_ESTIMATES, GROUND_TRUTH, ODOM, CONTROLLER_STATE, GAIT_REFERENCE, CMD_VEL),
    *(IMU, BATTERY_STATE, EXTERNAL_POSE, SENSOR_READINGS, MOTION_STATE),
    *(ROBOT_DESCRIPTION, TF, TF_STATIC, DIAGNOSTICS, PARAMETER_EVENTS, CLOCK, CONTACT_MARKERS),
    *(JOINT_TRAJECTORY, COMMANDS, JOINT_COMMANDS, JOINT_STATES),
)
RECORDED = tuple(topic for topic in TOPICS if topic.recorded)


def frame_name(prefix: str, name: str) -> str:
    """Return the tf frame `name` of the robot whose frames begin with `prefix`, its namespace."""
    return f"{prefix}/{name}" if prefix else name


def create_publisher(node: Node, topic: Topic) -> Publisher:
    """Create the publisher of `topic` on `node`, with the quality of service of the table."""
    return node.create_publisher(topic.type, topic.name, topic.qos)


def topics_published_by(node: str) -> tuple[Topic, ...]:
    """Return the topics that only this node publishes."""
    return tuple(topic for topic in TOPICS if topic.publisher == node)
