"""What the controller reads of its topics. Each function raises UserError for a message that cannot be used."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crawler_interfaces.msg import ContactStateArray
from nav_msgs.msg import Odometry
from trajectory_msgs.msg import JointTrajectory

from crawler_core.errors import UserError
from crawler_core.types import Contact, ContactMode, ContactSource
from crawler_nodes.messages.base_writer import read_ground_motion
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.messages.joint_message import JointMessage
from hybrid_controller.laws.law import BaseMotion
from hybrid_controller.reference.horizon import Horizon, read_trajectory

UNIT = 1e-3  # by which the length of a quaternion may be off: rounded to four digits it is the same attitude


def read_state(message: JointMessage) -> JointMessage:
    """joint_states; what is wrong with its numbers is left to the controller, which brings the joints to rest."""
    if message.stamp < 0:
        raise UserError("joint_states has a time before zero.")
    return message


def read_reference(message: JointTrajectory, joints: Sequence[str]) -> tuple[str, Horizon]:
    """Who sends a gait_reference, and its horizon."""
    return message.header.frame_id, read_trajectory(message, joints)


def read_contacts(message: ContactStateArray) -> tuple[int, tuple[Contact, ...]]:
    """The time of contact_states (ns), and every foot."""
    contacts = []
    for entry in message.contacts:
        try:
            mode, source = ContactMode(entry.mode), ContactSource(entry.source)
        except ValueError as error:
            raise UserError(f"contact_states cannot be used: {error} for {entry.foot or 'a foot'}.") from None
        force, slip = entry.force, entry.slip_velocity
        contacts.append(Contact(entry.foot, mode, source, (force.x, force.y, force.z), (slip.x, slip.y, slip.z)))
    return stamp_ns(message.header.stamp), tuple(contacts)


def read_odometry(message: Odometry, yaws: bool) -> BaseMotion:
    """How the base moves; `yaws`: it has a heading of its own."""
    q, v = message.pose.pose.orientation, message.twist.twist.linear
    length = math.hypot(q.w, q.x, q.y, q.z)
    if not abs(length - 1.0) < UNIT:
        raise UserError(f"odom has an attitude whose quaternion is {length:.4g} long, but must be 1 long.")
    if not math.isfinite(math.hypot(v.x, v.y, v.z)):
        raise UserError("odom has a speed that is not finite.")
    forward = read_ground_motion(message, yaws).forward
    return BaseMotion(stamp_ns(message.header.stamp), forward)
