"""Contacts of the feet on simulated ground, averaged over a tick."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler_core.gait_metrics.heading import Heading
from crawler_core.types import Contact, ContactMode, ContactSource, Vector

FootMotion = tuple[Vector, Vector, Vector]  # of its centre of mass: position (m), velocity (m/s), turning (rad/s)


@dataclass
class _Foot:
    name: str
    force_x: float = 0.0  # N, summed over the substeps
    force_y: float = 0.0
    force_z: float = 0.0
    point: Vector = (0.0, 0.0, 0.0)  # m, of the last contact


class ContactAverage:
    """Forces of each foot, averaged over a tick, and its slip at the end of the tick.

    The average times the tick is the impulse; a single step's forces can be far off.
    """

    def __init__(self, feet: Iterable[str], stick_speed: float) -> None:
        """A foot on the ground that is slower than `stick_speed` (m/s) sticks."""
        self._feet = [_Foot(name) for name in feet]
        self._stick_speed = stick_speed
        self._steps = 0

    def begin(self) -> None:
        """Start a tick."""
        self._steps = 0
        for foot in self._feet:
            foot.force_x = foot.force_y = foot.force_z = 0.0

    def count_step(self) -> None:
        """Count a step, before its forces are added."""
        self._steps += 1

    def add(self, index: int, force_x: float, force_y: float, force_z: float, point: Vector) -> None:
        """Add a force (N) of the ground on a foot at `point` (m); a foot may touch at several points."""
        foot = self._feet[index]
        foot.force_x += force_x
        foot.force_y += force_y
        foot.force_z += force_z
        foot.point = point

    def contacts(self, feet: Sequence[FootMotion], heading: Heading) -> tuple[Contact, ...]:
        """Return the contacts, given the present motion of each foot. Slip is positive along the robot's `heading`."""
        share = 1.0 / max(self._steps, 1)
        return tuple(self._contact(foot, motion, share, heading) for foot, motion in zip(self._feet, feet, strict=True))

    def _contact(self, foot: _Foot, motion: FootMotion, share: float, heading: Heading) -> Contact:
        force = (foot.force_x * share, foot.force_y * share, foot.force_z * share)
        (x, y, z), (vx, vy, vz), (wx, wy, wz) = motion
        if force[2] <= 0.0:
            return Contact(foot.name, ContactMode.OPEN, ContactSource.SIMULATED, (0.0, 0.0, 0.0), (vx, vy, vz))
        lx, ly, lz = foot.point[0] - x, foot.point[1] - y, foot.point[2] - z
        slip = (vx + wy * lz - wz * ly, vy + wz * lx - wx * lz, vz + wx * ly - wy * lx)
        return Contact(foot.name, self._mode(slip, heading), ContactSource.SIMULATED, force, slip)

    def _mode(self, slip: Vector, heading: Heading) -> ContactMode:
        if math.hypot(slip[0], slip[1]) < self._stick_speed:
            return ContactMode.STICK
        return ContactMode.SLIP_POS if heading.forward(slip[0], slip[1]) > 0.0 else ContactMode.SLIP_NEG
