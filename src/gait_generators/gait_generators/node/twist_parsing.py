"""Reading of cmd_vel, as Twist or TwistStamped."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Twist, TwistStamped

from crawler_core.errors import UserError
from crawler_nodes.messages.header import stamp_ns
from gait_generators.steering.velocity_command import COMMAND_TIMEOUT_NS, VelocityCommand

SIDEWAYS = "cmd_vel has a velocity other than linear.x and angular.z: the robot cannot move so"


def read_twist(message: Twist) -> VelocityCommand:
    """Return the command of a twist. Raises UserError for one that the robot cannot follow at all."""
    linear, angular = message.linear, message.angular
    if not np.isfinite([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]).all():
        raise UserError("cmd_vel has a number that is not finite: it is ignored.")
    if not any((linear.y, linear.z, angular.x, angular.y)):
        return VelocityCommand(linear.x, angular.z)
    if linear.x or angular.z:
        return VelocityCommand(linear.x, angular.z, f"{SIDEWAYS} and leaves that part out")
    raise UserError(f"{SIDEWAYS}, and the message is ignored.")


def read_stamped_twist(message: TwistStamped, now_ns: int) -> VelocityCommand:
    """Return the command of a stamped twist. Raises UserError for one that is not of the present.

    A stamp of 0 counts as none.
    """
    sent_ns = stamp_ns(message.header.stamp)
    age_s = (now_ns - sent_ns) * 1e-9
    limit_s = COMMAND_TIMEOUT_NS * 1e-9
    if sent_ns and abs(age_s) > limit_s:
        way = "old" if age_s > 0.0 else "ahead of the clock"
        raise UserError(
            f"cmd_vel is {abs(age_s):.3g} s {way}: its stamp must be within {limit_s:g} s of the robot's clock. In a "
            "simulation start its publisher with use_sim_time:=true, or send stamp 0."
        )
    return read_twist(message.twist)
