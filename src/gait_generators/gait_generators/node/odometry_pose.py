"""The pose of the base on the ground, from odom."""

from __future__ import annotations

import math
from typing import NamedTuple

from nav_msgs.msg import Odometry

from crawler_core.errors import UserError
from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading
from crawler_nodes.messages.header import stamp_ns


class OdometryPose(NamedTuple):
    time_s: float
    x: float  # m
    y: float  # m
    heading: Heading


def read_odometry_pose(message: Odometry, can_yaw: bool) -> OdometryPose:
    """Return the pose. With `can_yaw` the base has a heading of its own. Raises UserError for numbers that are none."""
    pose = message.pose.pose
    q, p = pose.orientation, pose.position
    if not math.isfinite(math.hypot(p.x, p.y, q.w, q.x, q.y, q.z)):
        raise UserError("odom has a pose with a number that is not finite.")
    heading = Heading.of((q.w, q.x, q.y, q.z)) if can_yaw else WORLD_HEADING
    return OdometryPose(stamp_ns(message.header.stamp) * 1e-9, p.x, p.y, heading)
