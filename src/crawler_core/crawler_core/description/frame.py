"""Link frames of a URDF."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

import numpy as np
from transforms3d.axangles import axangle2mat
from transforms3d.euler import euler2mat
from transforms3d.quaternions import mat2quat

from crawler_core.types import FloatArray, Vector


@dataclass(frozen=True)
class Frame:
    """One joint of the URDF: the pose of its child link in its parent link."""

    parent: str
    child: str
    joint: str  # empty for a fixed joint
    origin: Vector  # m
    rpy: Vector  # rad, fixed axes x, y, z
    axis: Vector
    sliding: bool

    def at(self, value: float) -> tuple[Vector, tuple[float, float, float, float]]:
        """Return position and quaternion (w, x, y, z) of the child in the parent, with the joint at `value`."""
        pose = self.pose(value)
        x, y, z = pose[:3, 3].tolist()
        w, i, j, k = mat2quat(pose[:3, :3]).tolist()
        return (x, y, z), (w, i, j, k)

    def pose(self, value: float) -> FloatArray:
        """Return the same pose as a 4 x 4 matrix."""
        turn = euler2mat(*self.rpy, axes="sxyz")
        position = np.array(self.origin)
        if self.joint and self.sliding:
            position = position + turn @ (value * np.array(self.axis))
        elif self.joint:
            turn = turn @ axangle2mat(self.axis, value)
        return pose_matrix(position, turn)


def pose_matrix(position: Any, turn: FloatArray) -> FloatArray:
    """Return the 4 x 4 matrix of a position and a rotation."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, position
    return pose


def read_frames(urdf: str) -> tuple[Frame, ...]:
    """Return every joint of a URDF, in its order."""
    return tuple(
        _frame(joint) for joint in ElementTree.fromstring(urdf).iter("joint") if joint.find("parent") is not None
    )


def _frame(joint: ElementTree.Element) -> Frame:
    def vector(tag: str, name: str, default: str) -> Vector:
        element = joint.find(tag)
        text = default if element is None else element.get(name, default)
        x, y, z = (float(word) for word in text.split())
        return x, y, z

    def link(tag: str) -> str:
        element = joint.find(tag)
        assert element is not None
        return element.get("link", "")

    kind = joint.get("type", "fixed")
    return Frame(
        parent=link("parent"),
        child=link("child"),
        joint="" if kind == "fixed" else joint.get("name", ""),
        origin=vector("origin", "xyz", "0 0 0"),
        rpy=vector("origin", "rpy", "0 0 0"),
        axis=vector("axis", "xyz", "1 0 0"),
        sliding=kind == "prismatic",
    )
