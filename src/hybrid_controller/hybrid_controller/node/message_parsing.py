"""Parse the controller's topics. Each function raises UserError for a message that cannot be used."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crawler_interfaces.msg import ContactStateArray
from nav_msgs.msg import Odometry
from trajectory_msgs.msg import JointTrajectory

from crawler_core.errors import UserError
from crawler_core.types import Contact, ContactMode, ContactSource
from crawler_models.estimation.base_motion import BaseMotion
from crawler_nodes.messages.base_writer import read_ground_motion
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.messages.joint_message import JointMessage
from hybrid_controller.reference.horizon import Horizon, read_trajectory

QUATERNION_TOLERANCE = 1e-3  # of its length: rounded to four digits it is the same attitude


def read_state(message: JointMessage) -> JointMessage:
    """Check the stamp of joint_states. The controller stops the joints for numbers that are not finite."""
    if message.stamp < 0:
        raise UserError(f"joint_states has the time {message.stamp * 1e-9:g} s: it must not be negative.")
    return message


def read_reference(message: JointTrajectory, joints: Sequence[str]) -> tuple[str, Horizon]:
    """Return the sender of gait_reference, and its horizon."""
    return message.header.frame_id, read_trajectory(message, joints)


def read_contacts(message: ContactStateArray) -> tuple[int, tuple[Contact, ...]]:
    """Return the time of contact_states (ns), and the contact of every foot."""
    contacts = []
    for entry in message.contacts:
        try:
            mode, source = ContactMode(entry.mode), ContactSource(entry.source)
        except ValueError as error:
            raise UserError(f"contact_states cannot be used: {error} for {entry.foot or 'a foot'}.") from None
        force, slip = entry.force, entry.slip_velocity
        contacts.append(Contact(entry.foot, mode, source, (force.x, force.y, force.z), (slip.x, slip.y, slip.z)))
    return stamp_ns(message.header.stamp), tuple(contacts)


def read_odometry(message: Odometry, can_yaw: bool) -> BaseMotion:
    """Return the motion of the base. With `can_yaw` it has a heading of its own."""
    q, v = message.pose.pose.orientation, message.twist.twist.linear
    length = math.hypot(q.w, q.x, q.y, q.z)
    if not abs(length - 1.0) < QUATERNION_TOLERANCE:
        raise UserError(f"odom has an attitude with a quaternion of length {length:.4g}: it must be 1.")
    if not math.isfinite(math.hypot(v.x, v.y, v.z)):
        raise UserError("odom has a speed that is not finite.")
    forward = read_ground_motion(message, can_yaw).forward
    return BaseMotion(stamp_ns(message.header.stamp), forward)
