"""The start of a simulation as positions and velocities of joints, for any engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from transforms3d.euler import euler2mat

from crawler_core.errors import UserError
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.robot.robot_spec import RobotSpec, StartSpec
from crawler_core.robot.schema import BASE_AXES
from crawler_core.types import FloatArray, Vector
from sim_bridge.physics.physics_urdf import SLIDING, TURNING


def home_joint_states(spec: RobotSpec) -> tuple[FloatArray, FloatArray]:
    """Return position (rad) and velocity (rad/s) of the joints at the start, with the loops closed."""
    position = np.array([joint.home for joint in spec.joints])
    velocity = np.array([joint.home_velocity for joint in spec.joints])
    closure = make_loop_closure_solver(spec)
    return (position, velocity) if closure is None else closure.complete(closure.home(), velocity)


def start_angles(spec: RobotSpec, rpy: Vector, axes: Sequence[str]) -> dict[str, float]:
    """Return the position along each of the base's axes `axes` at x = y = z = 0 in the attitude `rpy` (rad).

    Raises UserError for an attitude that the base cannot have.
    """
    angle = dict(zip(("roll", "pitch", "yaw"), rpy, strict=True))
    for axis, value in angle.items():
        if value and axis not in axes:
            raise _not_movable(spec, f"start.{axis}_deg", axis)
    return {axis: angle.get(axis, 0.0) for axis in axes}


def start_speeds(spec: RobotSpec, start: StartSpec, position: Mapping[str, float]) -> dict[str, float]:
    """Return the speeds along the base's axes that make the start's velocities, given the positions along these.

    Raises UserError for velocities that the base cannot have.
    """
    speed = dict(zip(SLIDING, start.linear, strict=True))
    for axis, value in speed.items():
        if value and axis not in spec.base_motion:
            raise _not_movable(spec, f"start.v{axis}", axis)
    rotation_axes = turning_axes(position.get("pitch", 0.0), position.get("yaw", 0.0))
    turning = [axis for axis in position if axis in TURNING]
    columns = np.array([rotation_axes[axis] for axis in turning]).reshape(-1, 3).T
    rates = np.linalg.lstsq(columns, np.array(start.angular), rcond=None)[0] if turning else np.zeros(0)
    if np.abs(columns @ rates - start.angular).max() > 1e-9:
        raise _not_movable(spec, "the rotation of start.roll_rate, pitch_rate and yaw_rate", "about that axis")
    speed |= dict(zip(turning, rates.tolist(), strict=True))
    return {axis: speed[axis] for axis in position}


def turning_axes(pitch: float, yaw: float) -> dict[str, Vector]:
    """Return the axes in the world of the base's rotations: yaw is the outermost, roll the innermost."""
    turned = euler2mat(0.0, pitch, yaw, axes="sxyz")
    along = turned[:, 0].tolist()
    return {
        "yaw": (0.0, 0.0, 1.0),
        "pitch": (-math.sin(yaw), math.cos(yaw), 0.0),
        "roll": (along[0], along[1], along[2]),
    }


def _not_movable(spec: RobotSpec, what: str, axis: str) -> UserError:
    allowed = ", ".join(spec.base_motion) or "no direction"
    direction = f"in '{axis}'" if axis in BASE_AXES else axis
    return UserError(f"{what} must be 0: the base of '{spec.name}' does not move {direction}, only in {allowed}.")
