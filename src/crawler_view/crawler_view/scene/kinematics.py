"""The poses of a robot's links, from its scene and a frame; a frame has the passive joints of closed chains too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from transforms3d.quaternions import quat2mat

from crawler_core.description.frame import Frame, pose_matrix
from crawler_core.types import FloatArray


class Kinematics:
    """The kinematics of one scene of `read_scene`."""

    def __init__(self, scene: Mapping[str, Any]) -> None:
        self._base = scene["base"]
        self._children: dict[str, list[Frame]] = {}
        for joint in scene["joints"]:
            frame = Frame(
                joint["parent"],
                joint["child"],
                joint["name"],
                joint["xyz"],
                joint["rpy"],
                joint["axis"],
                joint["prismatic"],
            )
            self._children.setdefault(frame.parent, []).append(frame)

    def at(self, frame: Mapping[str, Any]) -> dict[str, FloatArray]:
        """Return the pose of each link in the world, 4 x 4. Unknown angles are taken as 0.

        Without odometry the lowest link's origin is on the ground.
        """
        angles = dict(zip(frame["names"], frame["position"], strict=True))
        base = frame["base"]
        poses = {}
        pending = [(self._base, pose_matrix(base[:3], quat2mat(base[3:])) if base else np.eye(4))]
        while pending:
            link, pose = pending.pop()
            poses[link] = pose
            for joint in self._children.get(link, ()):
                pending.append((joint.child, pose @ joint.pose(angles.get(joint.joint) or 0.0)))
        if not base:
            low = min(pose[2, 3] for pose in poses.values())
            for pose in poses.values():
                pose[2, 3] -= low
        return poses
