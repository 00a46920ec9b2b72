"""The base of a robot in MuJoCo: its start pose and velocity."""

from __future__ import annotations

from typing import Any

import numpy as np
from transforms3d.euler import euler2quat
from transforms3d.quaternions import quat2mat

from crawler_core.robot.robot_spec import RobotSpec, StartSpec
from crawler_core.types import Vector
from sim_bridge.mujoco.mujoco_model import base_axes, base_joint
from sim_bridge.physics.start_state import start_angles, start_speeds


class MujocoBase:
    """The base link: free, or on joints along and about the axes in which it moves."""

    def __init__(self, model: Any, data: Any, spec: RobotSpec) -> None:
        self._model, self._data, self._spec = model, data, spec
        self.body = model.body(spec.base_link).id
        self._axes = base_axes(spec.base_motion)
        self._free = len(spec.base_motion) == 6
        joints = [model.joint(base_joint(axis)) for axis in self._axes]
        self._places = [int(joint.qposadr[0]) for joint in joints]
        self._dofs = list(range(6)) if self._free else [int(joint.dofadr[0]) for joint in joints]
        sliding = dict(zip("xyz", range(3), strict=True))
        self._sliding = sliding if self._free else dict(zip(self._axes, self._places, strict=True))

    def turn(self, rpy: Vector) -> None:
        """Set the attitude (rad, about the fixed axes x, y, z). Raises UserError for one that the base cannot have."""
        if self._free:
            self._data.qpos[3:7] = euler2quat(*rpy, axes="sxyz")
            return
        angles = start_angles(self._spec, rpy, self._axes)
        self._data.qpos[self._places] = [angles[axis] for axis in self._axes]

    def lift(self, by: float) -> None:
        """Raise it by `by` (m), even if it does not move vertically."""
        if "z" in self._sliding:
            self._data.qpos[self._sliding["z"]] += by
        else:
            self._model.body_pos[self.body][2] += by

    def stand(self) -> None:
        """Place it at rest at x = y = 0."""
        for axis in "xy":
            if axis in self._sliding:
                self._data.qpos[self._sliding[axis]] = 0.0
        self._data.qvel[self._dofs] = 0.0

    def launch(self, start: StartSpec) -> None:
        """Set the start's velocities. Raises UserError for velocities that the base cannot have."""
        data = self._data
        if self._free:
            data.qvel[:3] = start.linear
            data.qvel[3:6] = quat2mat(data.qpos[3:7]).T @ np.array(start.angular)  # in its own axes
            return
        position = dict(zip(self._axes, data.qpos[self._places].tolist(), strict=True))
        speeds = start_speeds(self._spec, start, position)
        data.qvel[self._dofs] = [speeds[axis] for axis in self._axes]
