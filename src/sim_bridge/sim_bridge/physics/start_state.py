"""The ways of a base as numbers: a start as angles and speeds along them, for any engine's joints."""

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
    """The joints' positions and velocities at the start, those of the loops as these close."""
    position = np.array([joint.home for joint in spec.joints])
    velocity = np.array([joint.home_velocity for joint in spec.joints])
    closure = make_loop_closure_solver(spec)
    return (position, velocity) if closure is None else closure.complete(closure.home(), velocity)


def start_angles(spec: RobotSpec, rpy: Vector, ways: Sequence[str]) -> dict[str, float]:
    """The position of each of `ways` at x = y = z = 0 in the attitude `rpy` (rad). Raises UserError."""
    angle = dict(zip(("roll", "pitch", "yaw"), rpy, strict=True))
    for way, value in angle.items():
        if value and way not in ways:
            raise _cannot(spec, f"start.{way}_deg", way)
    return {way: angle.get(way, 0.0) for way in ways}


def start_speeds(spec: RobotSpec, start: StartSpec, position: Mapping[str, float]) -> dict[str, float]:
    """The speed along each way of `position` that makes the start's velocities. Raises UserError where none does."""
    speed = dict(zip(SLIDING, start.linear, strict=True))
    for way, value in speed.items():
        if value and way not in spec.base_motion:
            raise _cannot(spec, f"start.v{way}", way)
    axes = turning_axes(position.get("pitch", 0.0), position.get("yaw", 0.0))
    turning = [way for way in position if way in TURNING]
    columns = np.array([axes[way] for way in turning]).reshape(-1, 3).T
    rates = np.linalg.lstsq(columns, np.array(start.angular), rcond=None)[0] if turning else np.zeros(0)
    if np.abs(columns @ rates - start.angular).max() > 1e-9:
        raise _cannot(spec, "the turning of start.roll_rate, pitch_rate and yaw_rate", "about that axis")
    speed |= dict(zip(turning, rates.tolist(), strict=True))
    return {way: speed[way] for way in position}


def turning_axes(pitch: float, yaw: float) -> dict[str, Vector]:
    """The axes in the world that the base's joints turn about: yaw is the outermost, roll the innermost."""
    turned = euler2mat(0.0, pitch, yaw, axes="sxyz")
    along = turned[:, 0].tolist()
    return {
        "yaw": (0.0, 0.0, 1.0),
        "pitch": (-math.sin(yaw), math.cos(yaw), 0.0),
        "roll": (along[0], along[1], along[2]),
    }


def _cannot(spec: RobotSpec, what: str, way: str) -> UserError:
    ways = ", ".join(spec.base_motion) or "none: it is fixed"
    direction = f"in the way '{way}'" if way in BASE_AXES else way
    return UserError(f"{what} is not 0, but the base of '{spec.name}' does not move {direction}; its ways are {ways}.")
