"""The feet of a robot on simulated ground: contacts averaged over a tick."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crawler_core.types import Contact, ContactMode, ContactSource

Vector = tuple[float, float, float]


@dataclass
class _Foot:
    name: str
    force_x: float = 0.0  # N, summed over the substeps
    force_y: float = 0.0
    force_z: float = 0.0
    point: Vector = (0.0, 0.0, 0.0)  # m, where it touched last


class ContactAverage:
    """Forces of each foot, averaged over a tick, because a single step's can be far off; and its slip at the end."""

    def __init__(self, feet: Iterable[str], stick_speed: float) -> None:
        self._feet = [_Foot(name) for name in feet]
        self._stick_speed = stick_speed
        self._steps = 0

    def begin(self) -> None:
        """Forget what was added."""
        self._steps = 0
        for foot in self._feet:
            foot.force_x = foot.force_y = foot.force_z = 0.0

    def add(self, points: Iterable[tuple[Any, ...]], index_of_link: dict[int, int]) -> None:
        """Take one step's contact points, as PyBullet's getContactPoints(robot, ground) gives them."""
        self._steps += 1
        for point in points:
            index = index_of_link.get(point[3])
            if index is None:
                continue  # another link than a foot lies on the ground
            foot = self._feet[index]
            normal, pushing = point[7], point[9]
            first, along_first = point[10], point[11]
            second, along_second = point[12], point[13]
            foot.force_x += pushing * normal[0] + first * along_first[0] + second * along_second[0]
            foot.force_y += pushing * normal[1] + first * along_first[1] + second * along_second[1]
            foot.force_z += pushing * normal[2] + first * along_first[2] + second * along_second[2]
            foot.point = point[5]

    def contacts(self, link_states: Sequence[tuple[Any, ...]]) -> tuple[Contact, ...]:
        """The feet, given PyBullet's link states of them with velocities."""
        share = 1.0 / max(self._steps, 1)
        return tuple(self._contact(foot, state, share) for foot, state in zip(self._feet, link_states, strict=True))

    def _contact(self, foot: _Foot, state: tuple[Any, ...], share: float) -> Contact:
        force = (foot.force_x * share, foot.force_y * share, foot.force_z * share)
        vx, vy, vz = state[6]
        if force[2] <= 0.0:
            return Contact(foot.name, ContactMode.OPEN, ContactSource.SIMULATED, (0.0, 0.0, 0.0), (vx, vy, vz))
        wx, wy, wz = state[7]
        x, y, z = state[0]
        lx, ly, lz = foot.point[0] - x, foot.point[1] - y, foot.point[2] - z
        slip = (vx + wy * lz - wz * ly, vy + wz * lx - wx * lz, vz + wx * ly - wy * lx)
        return Contact(foot.name, self._mode(slip), ContactSource.SIMULATED, force, slip)

    def _mode(self, slip: Vector) -> ContactMode:
        if math.hypot(slip[0], slip[1]) < self._stick_speed:
            return ContactMode.STICK
        return ContactMode.SLIP_POS if slip[0] > 0.0 else ContactMode.SLIP_NEG
