"""Where the base of a robot begins in MuJoCo's world."""

from __future__ import annotations

from typing import Any

import numpy as np
from transforms3d.euler import euler2quat
from transforms3d.quaternions import quat2mat

from crawler_core.robot.robot_spec import RobotSpec, StartSpec
from crawler_core.types import Vector
from sim_bridge.mujoco.mujoco_model import base_joint, base_ways
from sim_bridge.physics.start_state import start_angles, start_speeds


class MuJoCoBase:
    """The base link: free, or on joints in the ways that it has."""

    def __init__(self, model: Any, data: Any, spec: RobotSpec) -> None:
        self._model, self._data, self._spec = model, data, spec
        self.body = model.body(spec.base_link).id
        self._ways = base_ways(spec.base_motion)
        self._free = len(spec.base_motion) == 6
        joints = [model.joint(base_joint(way)) for way in self._ways]
        self._places = [int(joint.qposadr[0]) for joint in joints]
        self._dofs = list(range(6)) if self._free else [int(joint.dofadr[0]) for joint in joints]
        sliding = dict(zip("xyz", range(3), strict=True))
        self._sliding = sliding if self._free else dict(zip(self._ways, self._places, strict=True))

    def turn(self, rpy: Vector) -> None:
        """Put it into this attitude (rad, about the fixed axes x, y, z). Raises UserError where it has it not."""
        if self._free:
            self._data.qpos[3:7] = euler2quat(*rpy, axes="sxyz")
            return
        angles = start_angles(self._spec, rpy, self._ways)
        self._data.qpos[self._places] = [angles[way] for way in self._ways]

    def lift(self, by: float) -> None:
        """Raise it (m), also where it does not move up and down."""
        if "z" in self._sliding:
            self._data.qpos[self._sliding["z"]] += by
        else:
            self._model.body_pos[self.body][2] += by

    def stand(self) -> None:
        """Bring it to rest at x = y = 0."""
        for way in "xy":
            if way in self._sliding:
                self._data.qpos[self._sliding[way]] = 0.0
        self._data.qvel[self._dofs] = 0.0

    def launch(self, start: StartSpec) -> None:
        """Give it the start's velocities. Raises UserError where it has them not."""
        data = self._data
        if self._free:
            data.qvel[:3] = start.linear
            data.qvel[3:6] = quat2mat(data.qpos[3:7]).T @ np.array(start.angular)  # in its own axes
            return
        position = dict(zip(self._ways, data.qpos[self._places].tolist(), strict=True))
        speeds = start_speeds(self._spec, start, position)
        data.qvel[self._dofs] = [speeds[way] for way in self._ways]
