"""Pose and velocity of one link of a robot, from its base and its joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from transforms3d.euler import euler2mat

from crawler_core.description.frame import Frame, read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.errors import unknown_name
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Observation, Vector

Rotation = tuple[Vector, Vector, Vector]  # rows of a matrix


class LinkState(NamedTuple):
    """The frame of a link in the world."""

    position: Vector  # m
    rotation: Rotation  # of vectors in the link's frame into the world's
    linear: Vector  # m/s
    angular: Vector  # rad/s

    def velocity_at(self, place: Vector) -> Vector:
        """Return the velocity (m/s, world frame) of a place in the link's frame (m)."""
        if place == (0.0, 0.0, 0.0):
            return self.linear
        return add(self.linear, cross(self.angular, rotate(self.rotation, place)))


class LinkMotion:
    """Follows one link. That of the base needs nothing but the base; another needs the joints between the two."""

    def __init__(self, spec: RobotSpec, link: str) -> None:
        """Raise UserError for a link that the robot's URDF does not have."""
        self._chain: list[tuple[Frame, int]] = []  # from the base on, with each joint's place in `spec.joints`
        if link == spec.base_link:
            return
        frames = {frame.child: frame for frame in read_frames(build_urdf(spec))}
        if link not in frames:
            raise unknown_name("link of a sensor", link, [spec.base_link, *frames])
        places: Mapping[str, int] = {name: i for i, name in enumerate(spec.joint_names)}
        while link != spec.base_link:
            if link not in frames:
                raise unknown_name("link that the base link carries", link, [spec.base_link])
            frame = frames[link]
            self._chain.insert(0, (frame, places.get(frame.joint, -1)))
            link = frame.parent

    def state(self, base: BaseState, joints: Observation) -> LinkState:
        """Return the link's state; not finite where a joint on the way to it is not known."""
        state = LinkState(base.position, rotation_matrix(base.quaternion), base.linear, base.angular)
        for frame, index in self._chain:
            value, rate = (0.0, 0.0) if index < 0 else (float(joints.position[index]), float(joints.velocity[index]))
            state = _carried(state, frame, value, rate)
        return state


def _carried(parent: LinkState, frame: Frame, value: float, rate: float) -> LinkState:
    """Return the state of the link that a joint connects with `parent`."""
    if not (math.isfinite(value) and math.isfinite(rate)):
        value = rate = math.nan
    pose = frame.pose(value)
    place: Vector = (float(pose[0, 3]), float(pose[1, 3]), float(pose[2, 3]))
    (a, b, c), (d, e, f), (g, h, i) = pose[:3, :3].tolist()
    rotation = multiply(parent.rotation, ((a, b, c), (d, e, f), (g, h, i)))
    offset = rotate(parent.rotation, place)
    linear = add(parent.linear, cross(parent.angular, offset))
    angular = parent.angular
    if frame.joint:
        axis = scale(rotate(rotation, frame.axis), rate)
        linear, angular = (add(linear, axis), angular) if frame.sliding else (linear, add(angular, axis))
    return LinkState(add(parent.position, offset), rotation, linear, angular)


def rotation_matrix(quaternion: tuple[float, float, float, float]) -> Rotation:
    """Return the matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def rpy_matrix(rpy: Vector) -> Rotation:
    """Return the matrix of roll, pitch and yaw (rad) about fixed axes."""
    (a, b, c), (d, e, f), (g, h, i) = euler2mat(*rpy, axes="sxyz").tolist()
    return (a, b, c), (d, e, f), (g, h, i)


def rotate(rotation: Rotation, vector: Vector) -> Vector:
    """Return a vector of the rotated frame in the frame outside."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    x, y, z = vector
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def rotate_back(rotation: Rotation, vector: Vector) -> Vector:
    """Return a vector of the frame outside in the rotated frame."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    x, y, z = vector
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def multiply(first: Rotation, second: Rotation) -> Rotation:
    """Return the rotation of `second` within `first`."""
    (a, b, c), (d, e, f), (g, h, i) = second
    columns = (a, d, g), (b, e, h), (c, f, i)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (rotate(first, column) for column in columns)
    return (xx, yx, zx), (xy, yy, zy), (xz, yz, zz)


def add(a: Vector, b: Vector) -> Vector:
    """Return the sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def scale(a: Vector, factor: float) -> Vector:
    """Return a multiple of a vector."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product of two vectors."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
