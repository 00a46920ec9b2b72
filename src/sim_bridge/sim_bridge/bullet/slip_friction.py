"""Friction opposite to the slip, for feet that slide in any direction.

Bullet's own friction has Coulomb's magnitude. But each of its two components depends on the mass that it moves. So the
sum is not opposite to an oblique slip: it is off by some 40 degrees under a small robot that turns in place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from crawler_core.robot.robot_spec import FootSpec
from crawler_core.types import Vector
from sim_bridge.bullet.bullet_client import BulletClient


class SlipFriction:
    """Friction of the feet with a `slip_damping`: this times the slip, at most Coulomb's.

    The normal force is that of the step before.
    """

    def __init__(self, p: BulletClient, robot: int, links: Sequence[int], feet: Sequence[FootSpec]) -> None:
        """`links` are PyBullet's numbers of the feet. Bullet's own friction of these feet is switched off."""
        self._p, self._robot = p, robot
        chosen = [(i, link, foot) for i, (link, foot) in enumerate(zip(links, feet, strict=True)) if foot.slip_damping]
        self._slots = {i: k for k, (i, _, _) in enumerate(chosen)}
        self._links = [link for _, link, _ in chosen]
        self._laws = [(foot.friction, foot.slip_damping or 0.0) for _, _, foot in chosen]
        self._normal_forces = [0.0] * len(chosen)  # N
        self._points: list[Vector] = [(0.0, 0.0, 0.0)] * len(chosen)  # m
        self.forces: list[tuple[int, float, float, Vector]] = []  # of the last step: foot, N along x and y, and where
        for link in self._links:
            p.changeDynamics(robot, link, lateralFriction=0.0)

    def apply(self) -> None:
        self.forces = []
        if not any(self._normal_forces):
            return
        p, robot = self._p, self._robot
        states = p.getLinkStates(robot, self._links, computeLinkVelocity=1)
        for i, k in self._slots.items():
            normal_force = self._normal_forces[k]
            if normal_force <= 0.0:
                continue
            (coefficient, damping), point, link = self._laws[k], self._points[k], self._links[k]
            (x, y, z), (vx, vy, _), (wx, wy, wz) = states[k][0], states[k][6], states[k][7]
            lx, ly, lz = point[0] - x, point[1] - y, point[2] - z
            vx, vy = vx + wy * lz - wz * ly, vy + wz * lx - wx * lz
            speed = math.hypot(vx, vy)
            factor = min(damping, coefficient * normal_force / speed) if speed > 0.0 else 0.0
            force = (-factor * vx, -factor * vy, 0.0)
            p.applyExternalForce(robot, link, force, point, p.WORLD_FRAME)
            self.forces.append((i, force[0], force[1], point))

    def reset_normal_forces(self) -> None:
        """Set the normal forces to 0, before `add_normal_force` is called for each contact."""
        self._normal_forces = [0.0] * len(self._normal_forces)

    def add_normal_force(self, foot: int, force: float, point: Vector) -> None:
        """Add the normal force (N) on a foot at `point` (m) in the last step."""
        k = self._slots.get(foot)
        if k is not None:
            self._normal_forces[k] += force
            self._points[k] = point
