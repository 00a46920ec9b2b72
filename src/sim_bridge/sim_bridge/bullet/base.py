"""The base of a robot in PyBullet: free, or on joints along and about the axes in which it may move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from transforms3d.euler import euler2quat

from crawler_core.robot.robot_spec import RobotSpec, StartSpec
from crawler_core.types import BaseState, Vector
from sim_bridge.bullet.bullet_client import BulletClient
from sim_bridge.physics.physics_urdf import SLIDING, TURNING
from sim_bridge.physics.start_state import start_angles, start_speeds, turning_axes

Quaternion = tuple[float, float, float, float]  # w, x, y, z

HOLDING_FORCE = 1e6  # N, on a base along an axis in which it does not move


class FloatingBase:
    """Base that is free in all six degrees of freedom. Bullet refers to its centre of mass and principal axes."""

    def __init__(self, p: BulletClient, robot: int) -> None:
        self._p, self._robot = p, robot
        self.joints: list[int] = []  # PyBullet's numbers of the joints that carry it
        self._origin, self._turned = link_in_mass_frame(p, robot, -1)

    def state(self, rows: Sequence[tuple[Any, ...]]) -> BaseState:
        """Return pose and velocity of the base link, from the states of `joints`."""
        p = self._p
        centre, (x, y, z, w) = p.getBasePositionAndOrientation(self._robot)
        linear, angular = p.getBaseVelocity(self._robot)
        arm = _rotate((w, x, y, z), self._origin)
        position = (centre[0] + arm[0], centre[1] + arm[1], centre[2] + arm[2])
        return BaseState(position, _multiply((w, x, y, z), self._turned), _velocity_at(linear, angular, arm), angular)

    def turn(self, rpy: Vector) -> None:
        """Place it at x = y = z = 0, at rest, in this attitude (rad, about the fixed axes x, y, z)."""
        a, b, c, d = self._turned
        attitude = _multiply(tuple(euler2quat(*rpy, axes="sxyz").tolist()), (a, -b, -c, -d))
        self._put((0.0, 0.0, 0.0), attitude)

    def place(self, raised: float) -> None:
        """Place it at rest at x = y = 0, raised by `raised` (m)."""
        base = self.state(())
        a, b, c, d = self._turned
        self._put((0.0, 0.0, base.position[2] + raised), _multiply(base.quaternion, (a, -b, -c, -d)))

    def launch(self, start: StartSpec) -> None:
        p = self._p
        _, (x, y, z, w) = p.getBasePositionAndOrientation(self._robot)
        ax, ay, az = _rotate((w, x, y, z), self._origin)
        linear = _velocity_at(start.linear, start.angular, (-ax, -ay, -az))
        p.resetBaseVelocity(self._robot, linear, start.angular)

    def _put(self, position: Vector, attitude: Quaternion) -> None:
        """Place the link's origin at `position` and its principal axes in `attitude`, at rest."""
        w, x, y, z = attitude
        ax, ay, az = _rotate(attitude, self._origin)
        centre = (position[0] - ax, position[1] - ay, position[2] - az)
        self._p.resetBasePositionAndOrientation(self._robot, centre, (x, y, z, w))


class GuidedBase:
    """Base on joints along x, y and z, then about z, y and x as far as it turns; held where it does not move."""

    def __init__(self, p: BulletClient, robot: int, spec: RobotSpec, joints: dict[str, int]) -> None:
        """`joints` are PyBullet's numbers by name, from the world to the base."""
        self._p, self._robot = p, robot
        self._spec = spec
        self.joints = list(joints.values())
        self._axes = [name.removeprefix("base_") for name in joints]
        self._only_pitches = not set(self._axes) & {"roll", "yaw"}
        # No force acts on a planar robot along y: holding it would only cost the solver's time.
        self._held = [] if spec.planar else [axis for axis in SLIDING if axis not in spec.base_motion]

    def state(self, rows: Sequence[tuple[Any, ...]]) -> BaseState:
        (x, vx, *_), (y, vy, *_), (z, vz, *_) = rows[:3]
        if self._only_pitches:
            pitch, rate = rows[3][:2] if len(rows) > 3 else (0.0, 0.0)
            turned = (math.cos(0.5 * pitch), 0.0, math.sin(0.5 * pitch), 0.0)
            return BaseState((x, y, z), turned, (vx, vy, vz), (0.0, rate, 0.0))
        angle = dict.fromkeys(TURNING, 0.0) | {axis: row[0] for axis, row in zip(self._axes[3:], rows[3:], strict=True)}
        rate = dict.fromkeys(TURNING, 0.0) | {axis: row[1] for axis, row in zip(self._axes[3:], rows[3:], strict=True)}
        (cr, sr), (cp, sp), (cy, sy) = (
            (math.cos(0.5 * angle[axis]), math.sin(0.5 * angle[axis])) for axis in ("roll", "pitch", "yaw")
        )
        turned = (
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        )
        axes = turning_axes(angle["pitch"], angle["yaw"])
        wx, wy, wz = (sum(rate[axis] * axes[axis][i] for axis in TURNING) for i in range(3))
        return BaseState((x, y, z), turned, (vx, vy, vz), (wx, wy, wz))

    def turn(self, rpy: Vector) -> None:
        angles = start_angles(self._spec, rpy, self._axes)
        self._reset({axis: (value, 0.0) for axis, value in angles.items()})

    def place(self, raised: float) -> None:
        position = self._positions()
        position |= {"x": 0.0, "y": 0.0, "z": position["z"] + raised}
        self._reset({axis: (value, 0.0) for axis, value in position.items()})

    def launch(self, start: StartSpec) -> None:
        position = self._positions()
        speed = start_speeds(self._spec, start, position)
        self._reset({axis: (position[axis], speed[axis]) for axis in self._axes})

    def _positions(self) -> dict[str, float]:
        rows = self._p.getJointStates(self._robot, self.joints)
        return {axis: row[0] for axis, row in zip(self._axes, rows, strict=True)}

    def _reset(self, states: dict[str, tuple[float, float]]) -> None:
        p = self._p
        for joint, axis in zip(self.joints, self._axes, strict=True):
            value, rate = states[axis]
            p.resetJointState(self._robot, joint, value, rate)
            if axis in self._held:
                motor = {"targetPosition": value, "positionGain": 1.0, "velocityGain": 1.0, "force": HOLDING_FORCE}
                p.setJointMotorControl2(self._robot, joint, p.POSITION_CONTROL, **motor)


BulletBase = FloatingBase | GuidedBase


def link_in_mass_frame(p: BulletClient, robot: int, link: int) -> tuple[Vector, Quaternion]:
    """Return the pose of a link's frame relative to its centre of mass and principal axes, which Bullet refers to.

    Bullet's own functions for transforms compute in single precision.
    """
    information = p.getDynamicsInfo(robot, link)
    (px, py, pz), (x, y, z, w) = information[3], information[4]
    back = (w, -x, -y, -z)
    ox, oy, oz = _rotate(back, (px, py, pz))
    return (-ox, -oy, -oz), back


def _rotate(quaternion: Quaternion, vector: Vector) -> Vector:
    w, x, y, z = quaternion
    a, b, c = vector
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return (a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx)


def _multiply(first: Quaternion, second: Quaternion) -> Quaternion:
    a, b, c, d = first
    w, x, y, z = second
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def _velocity_at(linear: Sequence[float], angular: Sequence[float], arm: Sequence[float]) -> Vector:
    """Return the velocity of a point of a body that is `arm` (m) away from one that moves with `linear`."""
    wx, wy, wz = angular
    lx, ly, lz = arm
    swept = (wy * lz - wz * ly, wz * lx - wx * lz, wx * ly - wy * lx)
    return (linear[0] + swept[0], linear[1] + swept[1], linear[2] + swept[2])
