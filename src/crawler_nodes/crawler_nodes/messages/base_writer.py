"""The base's pose and twist as odometry and transform, and odometry read as motion over the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from transforms3d.quaternions import quat2mat, rotate_vector

from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading
from crawler_core.types import BaseState
from crawler_nodes.messages.header import set_stamp

DIAGONAL = tuple(range(0, 36, 7))  # of a covariance of six values


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

    def fill_variances(self, pose: Sequence[float], twist: Sequence[float]) -> None:
        """Set the diagonals of the covariances, in the order x, y, z, roll, pitch, yaw, for messages from now on."""
        of_pose, of_twist = self.odometry.pose.covariance, self.odometry.twist.covariance
        for k, i in enumerate(DIAGONAL):
            of_pose[i], of_twist[i] = pose[k], twist[k]

    def fill_transform(self, time_ns: int, base: BaseState) -> TransformStamped:
        entry = self.transform
        set_stamp(entry.header.stamp, time_ns)
        translation, rotation = entry.transform.translation, entry.transform.rotation
        translation.x, translation.y, translation.z = base.position
        rotation.w, rotation.x, rotation.y, rotation.z = base.quaternion
        return entry


class GroundMotion(NamedTuple):
    """The base's position and velocity over the ground."""

    x: float  # m, in the world
    y: float  # m
    heading: Heading
    forward: float  # m/s, along the heading
    lateral: float  # m/s, to its left


def read_ground_motion(message: Odometry, can_yaw: bool) -> GroundMotion:
    """Read odom. A base that cannot yaw has the world's x axis as its heading."""
    position, q, v = message.pose.pose.position, message.pose.pose.orientation, message.twist.twist.linear
    attitude = (q.w, q.x, q.y, q.z)
    heading = Heading.of(attitude) if can_yaw else WORLD_HEADING
    vx, vy, _ = rotate_vector((v.x, v.y, v.z), attitude).tolist()
    return GroundMotion(position.x, position.y, heading, heading.forward(vx, vy), heading.lateral(vx, vy))
