"""Friction that is opposite to the slip, for feet that slide every way.

Bullet's own friction has Coulomb's size. But of a foot that slides askew each part of it answers to the masses that it
moves, and so the whole is not opposite to the slip: by some 40 degrees under a small robot that turns in place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from crawler_core.robot.robot_spec import FootSpec
from crawler_core.types import Vector


class SlipFriction:
    """The friction of those feet that have a `slip_damping`: that times their slip, but no more than Coulomb's.

    It goes by the force that pressed the foot on the ground in the step before.
    """

    def __init__(self, bullet: Any, client: int, robot: int, links: Sequence[int], feet: Sequence[FootSpec]) -> None:
        """`links` are PyBullet's numbers of the feet, whose own friction is taken off."""
        self._bullet, self._client, self._robot = bullet, client, robot
        chosen = [(i, link, foot) for i, (link, foot) in enumerate(zip(links, feet, strict=True)) if foot.slip_damping]
        self._places = {i: k for k, (i, _, _) in enumerate(chosen)}
        self._links = [link for _, link, _ in chosen]
        self._laws = [(foot.friction, foot.slip_damping or 0.0) for _, _, foot in chosen]
        self._pressed = [0.0] * len(chosen)  # N
        self._points: list[Vector] = [(0.0, 0.0, 0.0)] * len(chosen)  # m
        self.forces: list[tuple[int, float, float, Vector]] = []  # of the last step: foot, N along x and y, and where
        for link in self._links:
            bullet.changeDynamics(robot, link, lateralFriction=0.0, physicsClientId=client)

    def push(self) -> None:
        """Apply the forces of the next step."""
        self.forces = []
        if not any(self._pressed):
            return
        p, client, robot = self._bullet, self._client, self._robot
        states = p.getLinkStates(robot, self._links, computeLinkVelocity=1, physicsClientId=client)
        for i, k in self._places.items():
            pressed = self._pressed[k]
            if pressed <= 0.0:
                continue
            (most, damping), point, link = self._laws[k], self._points[k], self._links[k]
            (x, y, z), (vx, vy, _), (wx, wy, wz) = states[k][0], states[k][6], states[k][7]
            lx, ly, lz = point[0] - x, point[1] - y, point[2] - z
            vx, vy = vx + wy * lz - wz * ly, vy + wz * lx - wx * lz
            speed = math.hypot(vx, vy)
            felt = min(damping, most * pressed / speed) if speed > 0.0 else 0.0
            force = (-felt * vx, -felt * vy, 0.0)
            p.applyExternalForce(robot, link, force, point, p.WORLD_FRAME, physicsClientId=client)
            self.forces.append((i, force[0], force[1], point))

    def release(self) -> None:
        """Forget how the feet were pressed: `press` tells it anew."""
        self._pressed = [0.0] * len(self._pressed)

    def press(self, foot: int, force: float, point: Vector) -> None:
        """A foot was pressed on the ground at `point` (m) with `force` (N) in the last step."""
        k = self._places.get(foot)
        if k is not None:
            self._pressed[k] += force
            self._points[k] = point
