"""How the base of a robot hangs in PyBullet's world: free, or on joints that let it move in some ways."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from transforms3d.euler import euler2quat

from crawler_core.robot.robot_spec import RobotSpec, StartSpec
from crawler_core.types import BaseState, Vector
from sim_bridge.physics.physics_urdf import SLIDING, TURNING, base_joints
from sim_bridge.physics.start_state import start_angles, start_speeds, turning_axes

Quaternion = tuple[float, float, float, float]  # w, x, y, z

HOLDING = 1e6  # N: what keeps a base from moving in a way that it does not have


class BulletBase(Protocol):
    """The base link's frame."""

    joints: list[int]  # PyBullet's numbers of the joints that carry it, whose states `state` wants

    def state(self, rows: Sequence[tuple[Any, ...]]) -> BaseState:
        """Where it is and how it moves, given the states of its joints."""

    def turn(self, rpy: Vector) -> None:
        """Put it at x = y = z = 0 and at rest in this attitude (rad, about the fixed axes x, y, z)."""

    def place(self, raised: float) -> None:
        """Bring it to rest at x = y = 0, raised by so much (m)."""

    def launch(self, start: StartSpec) -> None:
        """Give it the start's velocities."""


class FloatingBase:
    """Free in all six ways. Bullet tells of its centre of mass, along its principal axes."""

    def __init__(self, bullet: Any, client: int, robot: int) -> None:
        self._bullet, self._client, self._robot = bullet, client, robot
        self.joints: list[int] = []
        self._origin, self._turned = link_in_mass_frame(bullet, client, robot, -1)

    def state(self, rows: Sequence[tuple[Any, ...]]) -> BaseState:
        p, client = self._bullet, self._client
        centre, (x, y, z, w) = p.getBasePositionAndOrientation(self._robot, physicsClientId=client)
        linear, angular = p.getBaseVelocity(self._robot, physicsClientId=client)
        arm = _rotated((w, x, y, z), self._origin)
        position = (centre[0] + arm[0], centre[1] + arm[1], centre[2] + arm[2])
        return BaseState(position, _product((w, x, y, z), self._turned), _moved(linear, angular, arm), angular)

    def turn(self, rpy: Vector) -> None:
        a, b, c, d = self._turned
        attitude = _product(tuple(euler2quat(*rpy, axes="sxyz").tolist()), (a, -b, -c, -d))
        self._put((0.0, 0.0, 0.0), attitude)

    def place(self, raised: float) -> None:
        base = self.state(())
        a, b, c, d = self._turned
        self._put((0.0, 0.0, base.position[2] + raised), _product(base.quaternion, (a, -b, -c, -d)))

    def launch(self, start: StartSpec) -> None:
        p, client = self._bullet, self._client
        _, (x, y, z, w) = p.getBasePositionAndOrientation(self._robot, physicsClientId=client)
        ax, ay, az = _rotated((w, x, y, z), self._origin)
        linear = _moved(start.linear, start.angular, (-ax, -ay, -az))
        p.resetBaseVelocity(self._robot, linear, start.angular, physicsClientId=client)

    def _put(self, position: Vector, attitude: Quaternion) -> None:
        """Bring the link's origin to `position` and the principal axes to `attitude`, at rest."""
        w, x, y, z = attitude
        ax, ay, az = _rotated(attitude, self._origin)
        centre = (position[0] - ax, position[1] - ay, position[2] - az)
        self._bullet.resetBasePositionAndOrientation(self._robot, centre, (x, y, z, w), physicsClientId=self._client)


class GuidedBase:
    """On joints along x, y and z, then about z, y and x as far as it turns; held where it does not move."""

    def __init__(self, bullet: Any, client: int, robot: int, spec: RobotSpec, joints: dict[str, int]) -> None:
        """`joints` are PyBullet's numbers by name."""
        self._bullet, self._client, self._robot = bullet, client, robot
        self._spec = spec
        names = base_joints(spec.base_motion)
        self.joints = [joints[name] for name in names]
        self._ways = [name.removeprefix("base_") for name in names]
        self._only_pitches = not set(self._ways) & {"roll", "yaw"}
        # Nothing pushes a planar robot along y: what would hold it only costs the solver's time.
        self._held = [] if spec.planar else [way for way in SLIDING if way not in spec.base_motion]

    def state(self, rows: Sequence[tuple[Any, ...]]) -> BaseState:
        (x, vx, *_), (y, vy, *_), (z, vz, *_) = rows[:3]
        if self._only_pitches:
            pitch, rate = rows[3][:2] if len(rows) > 3 else (0.0, 0.0)
            turned = (math.cos(0.5 * pitch), 0.0, math.sin(0.5 * pitch), 0.0)
            return BaseState((x, y, z), turned, (vx, vy, vz), (0.0, rate, 0.0))
        angle = dict.fromkeys(TURNING, 0.0) | {w: row[0] for w, row in zip(self._ways[3:], rows[3:], strict=True)}
        rate = dict.fromkeys(TURNING, 0.0) | {w: row[1] for w, row in zip(self._ways[3:], rows[3:], strict=True)}
        (cr, sr), (cp, sp), (cy, sy) = (
            (math.cos(0.5 * angle[way]), math.sin(0.5 * angle[way])) for way in ("roll", "pitch", "yaw")
        )
        turned = (
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        )
        axes = turning_axes(angle["pitch"], angle["yaw"])
        wx, wy, wz = (sum(rate[way] * axes[way][i] for way in TURNING) for i in range(3))
        return BaseState((x, y, z), turned, (vx, vy, vz), (wx, wy, wz))

    def turn(self, rpy: Vector) -> None:
        angles = start_angles(self._spec, rpy, self._ways)
        self._reset({way: (value, 0.0) for way, value in angles.items()})

    def place(self, raised: float) -> None:
        position = self._positions()
        position |= {"x": 0.0, "y": 0.0, "z": position["z"] + raised}
        self._reset({way: (value, 0.0) for way, value in position.items()})

    def launch(self, start: StartSpec) -> None:
        position = self._positions()
        speed = start_speeds(self._spec, start, position)
        self._reset({way: (position[way], speed[way]) for way in self._ways})

    def _positions(self) -> dict[str, float]:
        rows = self._bullet.getJointStates(self._robot, self.joints, physicsClientId=self._client)
        return {way: row[0] for way, row in zip(self._ways, rows, strict=True)}

    def _reset(self, states: dict[str, tuple[float, float]]) -> None:
        p, client = self._bullet, self._client
        for joint, way in zip(self.joints, self._ways, strict=True):
            value, rate = states[way]
            p.resetJointState(self._robot, joint, value, rate, physicsClientId=client)
            if way in self._held:
                motor = {"targetPosition": value, "positionGain": 1.0, "velocityGain": 1.0, "force": HOLDING}
                p.setJointMotorControl2(self._robot, joint, p.POSITION_CONTROL, **motor, physicsClientId=client)


def link_in_mass_frame(bullet: Any, client: int, robot: int, link: int) -> tuple[Vector, Quaternion]:
    """Where a link's frame is as seen from its centre of mass along its principal axes, for which Bullet speaks.

    Worked out here: Bullet's own functions for transforms count in single precision.
    """
    information = bullet.getDynamicsInfo(robot, link, physicsClientId=client)
    (px, py, pz), (x, y, z, w) = information[3], information[4]
    back = (w, -x, -y, -z)
    ox, oy, oz = _rotated(back, (px, py, pz))
    return (-ox, -oy, -oz), back


def _rotated(quaternion: Quaternion, vector: Vector) -> Vector:
    w, x, y, z = quaternion
    a, b, c = vector
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return (a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx)


def _product(first: Quaternion, second: Quaternion) -> Quaternion:
    a, b, c, d = first
    w, x, y, z = second
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def _moved(linear: Sequence[float], angular: Sequence[float], arm: Sequence[float]) -> Vector:
    """The velocity of a point of a body that is `arm` (m) away from one which moves with `linear`."""
    wx, wy, wz = angular
    lx, ly, lz = arm
    swept = (wy * lz - wz * ly, wz * lx - wx * lz, wx * ly - wy * lx)
    return (linear[0] + swept[0], linear[1] + swept[1], linear[2] + swept[2])
