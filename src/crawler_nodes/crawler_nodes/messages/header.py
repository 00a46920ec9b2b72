"""Between our types and ROS messages. Message objects are made once and filled again: the ring runs at kilohertz."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from crawler_interfaces.msg import ContactState, ContactStateArray
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from transforms3d.quaternions import quat2mat, rotate_vector

from crawler_core.errors import UserError
from crawler_core.gait_metrics.heading import AHEAD, Heading
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import MotionState
from crawler_core.types import BaseState, Contact, FloatArray, JointCommand, Observation
from crawler_nodes.messages.joint_message import JointMessage

BEHIND = 1000  # messages of the ring that are kept for a listener that has fallen behind, such as a recorder


def stamp_ns(stamp: Time) -> int:
    """Nanoseconds of a message's stamp."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def set_stamp(stamp: Time, time_ns: int) -> None:
    """Write nanoseconds into a message's stamp."""
    stamp.sec, stamp.nanosec = divmod(time_ns, 1_000_000_000)


def doubles(values: FloatArray) -> array:
    """The array type that message fields hold: assigning one skips the per-element checks."""
    result = array("d")
    result.frombytes(values.tobytes())
    return result


def read_motion(message: DiagnosticStatus) -> tuple[str, MotionState]:
    """The backend that speaks in motion_state, and what it says. Raises UserError for a state that there is not."""
    try:
        return message.name, MotionState(message.message)
    except ValueError:
        known = ", ".join(state.value for state in MotionState)
        raise UserError(f"motion_state says '{message.message}': known are {known}.") from None


class JointStateWriter:
    """Fills joint_states."""

    def __init__(self, names: Sequence[str]) -> None:
        self.message = JointState(name=list(names))

    def fill(self, observation: Observation) -> JointState:
        message = self.message
        set_stamp(message.header.stamp, observation.time_ns)
        message.position = doubles(observation.position)
        message.velocity = doubles(observation.velocity)
        message.effort = doubles(observation.effort)
        return message


class CommandMessage(NamedTuple):
    """A message of joint_commands."""

    backend: str  # whose state it answers, as the backend names itself
    sender: str  # who answers, as it names itself; empty where it does not
    stamp: int  # ns, of the state that it answers
    setpoints: JointCommand


class CommandReader:
    """Turns joint_commands into JointCommand, in the robot's order, or explains why not.

    A message has a position for every actuated joint, where it may be NaN for one that is driven by effort; without an
    array of velocities or efforts none is commanded.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self._names = list(spec.actuated_names)
        self._none = np.full(len(self._names), np.nan)

    def read(self, message: JointMessage) -> CommandMessage:
        """Raises UserError for unknown, missing or repeated joints and for lengths that do not fit."""
        backend, _, sender = message.sender.partition(" ")
        return CommandMessage(backend, sender, message.stamp, self._setpoints(message))

    def _setpoints(self, message: JointMessage) -> JointCommand:
        names = message.name
        if names == self._names:
            return JointCommand(*self._fields(message))
        unknown = [name for name in names if name not in self._names]
        if unknown:
            raise UserError(
                f"joint_commands names '{unknown[0]}', which is no actuated joint: these are {', '.join(self._names)}."
            )
        missing = [name for name in self._names if name not in names]
        if missing or len(names) != len(self._names):
            raise UserError(f"joint_commands must name each actuated joint once; got {', '.join(names) or 'none'}.")
        order = [names.index(name) for name in self._names]
        return JointCommand(*(field[order] for field in self._fields(message)))

    def _fields(self, message: JointMessage) -> tuple[FloatArray, FloatArray, FloatArray]:
        return (
            self._field(message.position, "position", required=True),
            self._field(message.velocity, "velocity"),
            self._field(message.effort, "effort"),
        )

    def _field(self, values: Sequence[float], label: str, required: bool = False) -> FloatArray:
        if not values and not required:
            return self._none
        if len(values) != len(self._names):
            raise UserError(f"joint_commands has {len(values)} values of {label} for {len(self._names)} joints.")
        return np.array(values)


class ContactWriter:
    """Fills contact_states."""

    def __init__(self, frame: str, feet: Sequence[str]) -> None:
        self.message = ContactStateArray(contacts=[ContactState(foot=foot) for foot in feet])
        self.message.header.frame_id = frame

    def fill(self, time_ns: int, contacts: Sequence[Contact]) -> ContactStateArray:
        set_stamp(self.message.header.stamp, time_ns)
        for entry, contact in zip(self.message.contacts, contacts, strict=True):
            entry.mode = int(contact.mode)
            entry.source = int(contact.source)
            entry.force.x, entry.force.y, entry.force.z = contact.force
            entry.slip_velocity.x, entry.slip_velocity.y, entry.slip_velocity.z = contact.slip_velocity
        return self.message


class BaseWriter:
    """Fills odom and the base's transform. nav_msgs/Odometry wants its twist in the frame of the base."""

    def __init__(self, frame: str, child: str) -> None:
        self.odometry = Odometry(child_frame_id=child)
        self.odometry.header.frame_id = frame
        self.transform = TransformStamped(child_frame_id=child)
        self.transform.header.frame_id = frame

    def fill_odometry(self, time_ns: int, base: BaseState) -> Odometry:
        message = self.odometry
        set_stamp(message.header.stamp, time_ns)
        pose, twist = message.pose.pose, message.twist.twist
        pose.position.x, pose.position.y, pose.position.z = base.position
        q = pose.orientation
        q.w, q.x, q.y, q.z = base.quaternion
        to_base = quat2mat(base.quaternion).T
        twist.linear.x, twist.linear.y, twist.linear.z = (to_base @ base.linear).tolist()
        twist.angular.x, twist.angular.y, twist.angular.z = (to_base @ base.angular).tolist()
        return message

    def fill_transform(self, time_ns: int, base: BaseState) -> TransformStamped:
        entry = self.transform
        set_stamp(entry.header.stamp, time_ns)
        move, turn = entry.transform.translation, entry.transform.rotation
        move.x, move.y, move.z = base.position
        turn.w, turn.x, turn.y, turn.z = base.quaternion
        return entry


class Travel(NamedTuple):
    """What odom says of the base over the ground."""

    x: float  # m, in the world
    y: float  # m
    heading: Heading
    forward: float  # m/s, along the heading
    lateral: float  # m/s, to its left


def travel(message: Odometry, yaws: bool) -> Travel:
    """Reads odom, whose twist is in the frame of the base. `yaws`: whether the base has a heading of its own."""
    position, q, v = message.pose.pose.position, message.pose.pose.orientation, message.twist.twist.linear
    attitude = (q.w, q.x, q.y, q.z)
    heading = Heading.of(attitude) if yaws else AHEAD
    vx, vy, _ = rotate_vector((v.x, v.y, v.z), attitude).tolist()
    return Travel(position.x, position.y, heading, heading.along(vx, vy), heading.aside(vx, vy))
