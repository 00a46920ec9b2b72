"""A short recording of an installed robot, as the recorder writes it, made without a run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from builtin_interfaces.msg import Duration
from crawler_interfaces.msg import ContactState, ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import Stack, make_stack
from crawler_core.description.urdf import build_urdf
from crawler_core.robot.robot_file import default_robot
from crawler_core.types import ContactMode
from crawler_nodes.messages.header import set_stamp
from crawler_testing.file_fuzz.mcap_file import Channel, McapFile, McapMessage, Schema

STATES, STEP_NS = 24, 500_000_000
HORIZON_POINTS, POINT_STEP_S = 26, 0.01


@dataclass
class _Writer:
    """Adds messages of any type."""

    store: Typestore
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    messages: list[McapMessage] = field(default_factory=list)

    def add(self, topic: str, time_ns: int, message: Any) -> None:
        kind = f"{type(message).__module__.split('.')[0]}/msg/{type(message).__name__}"
        schema = next((number for number, known in self.schemas.items() if known.name == kind), None)
        if schema is None:
            schema = len(self.schemas) + 1
            self.schemas[schema] = Schema(kind, "ros2msg", self.store.generate_msgdef(kind, ros_version=2)[0])
        channel = next((number for number, known in self.channels.items() if known.topic == topic), None)
        if channel is None:
            channel = len(self.channels) + 1
            self.channels[channel] = Channel(schema, topic)
        self.messages.append(McapMessage(channel, time_ns, serialize_message(message)))


@cache
def sample_recording(robot: str = "", robot_named: str | None = None) -> McapFile:
    """Return the recording of 12 s of a robot by the equations; `robot_named` is the name that it gives the robot."""
    stack = make_stack(Options(robot=robot or default_robot(), backend="mock", record="recording"))
    writer = _Writer(_typestore())
    text = next(node for node in stack.nodes if node.name == "recorder").parameters["run"]
    document = yaml.load(text, yaml.CSafeLoader)
    document |= {"backend_name": "model", "backend": {"lockstep": True}}  # mock servos are quick to choose
    if robot_named is not None:
        document["given"]["robot"] = robot_named
    text = yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None, width=10**6)
    writer.add("/run_description", 0, String(data=text + "versions: {crawler: '0.1.0'}\n"))
    writer.add("/robot_description", 0, String(data=build_urdf(stack.spec)))
    status = DiagnosticStatus(name="backend", message="active", values=[KeyValue(key="late_ticks", value="0")])
    writer.add("/motion_state", 0, DiagnosticStatus(name="motion", message="active"))
    writer.add("/diagnostics", 0, DiagnosticArray(status=[status]))
    for k in range(STATES):
        _add_state(writer, stack, (k + 1) * STEP_NS)
    return McapFile(writer.schemas, writer.channels, tuple(writer.messages))


def _add_state(writer: _Writer, stack: Stack, time_ns: int) -> None:
    spec, time = stack.spec, 1e-9 * time_ns
    angles = [joint.home + 0.2 * math.sin(3.0 * time + k) for k, joint in enumerate(spec.joints)]
    names = [joint.name for joint in spec.joints]
    writer.add(
        "/joint_states",
        time_ns,
        _stamped(JointState(name=names, position=angles, velocity=angles, effort=angles), time_ns),
    )
    actuated = list(spec.actuated_names)
    commanded = [angles[k] for k in spec.actuated_indices]
    writer.add("/joint_commands", time_ns, _stamped(JointState(name=actuated, position=commanded), time_ns))
    odometry = Odometry(child_frame_id="base_link")
    odometry.pose.pose.position.x, odometry.pose.pose.position.z = 0.02 * time, 0.03
    for topic in ("/odom", "/ground_truth/odom"):
        writer.add(topic, time_ns, _stamped(odometry, time_ns))
    feet = [ContactState(foot=name, mode=int(_mode(k, time)), source=2) for k, name in enumerate(spec.foot_names)]
    for foot in feet:
        foot.force.z = 1.0
    writer.add("/contact_states", time_ns, _stamped(ContactStateArray(contacts=feet), time_ns))
    zeros = [0.0] * len(actuated)
    control = ControllerState(
        status=ControllerState.TRACKING,
        law=stack.law,
        joint_names=actuated,
        reference_position=commanded,
        reference_velocity=zeros,
        position_error=zeros,
        velocity_error=zeros,
    )
    writer.add("/controller_state", time_ns, _stamped(control, time_ns))
    points = [_point(stack, time + k * POINT_STEP_S, k) for k in range(HORIZON_POINTS)]
    reference = JointTrajectory(joint_names=actuated, points=points)
    writer.add("/gait_reference", time_ns, _stamped(reference, time_ns))
    writer.add("/tf", time_ns, TFMessage(transforms=[TransformStamped(child_frame_id="base_link")]))


def _mode(foot: int, time: float) -> ContactMode:
    return (ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.OPEN)[(int(4.0 * time) + foot) % 3]


def _point(stack: Stack, time: float, k: int) -> JointTrajectoryPoint:
    nanoseconds = round(1e9 * k * POINT_STEP_S)
    return JointTrajectoryPoint(
        positions=[0.2 * math.sin(3.0 * time + i) for i in range(len(stack.spec.actuated_names))],
        time_from_start=Duration(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9),
    )


def _stamped(message: Any, time_ns: int) -> Any:
    set_stamp(message.header.stamp, time_ns)
    return message


@cache
def _typestore() -> Typestore:
    store = get_typestore(Stores.ROS2_JAZZY)
    for file in sorted(Path(get_package_share_directory("crawler_interfaces"), "msg").glob("*.msg")):
        store.register(get_types_from_msg(file.read_text(), f"crawler_interfaces/msg/{file.stem}"))
    return store
