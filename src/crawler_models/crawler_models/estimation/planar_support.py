"""Support of a planar robot that lies still on flat ground: the two feet on either side of its weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Point = tuple[float, float]  # m forward and up, in the base's frame


class Support(NamedTuple):
    """The rear and the front foot that carry the robot, the pitch that this gives, and the front one's load."""

    rear: int
    front: int
    pitch: float  # rad, about +y: positive is nose down
    front_share: float  # of the weight


def find_support(feet: Sequence[Point], centre: Point, before: Support | None) -> Support | None:
    """Return the support of a robot with these feet and this centre of mass.

    It is the edge of the feet's lower hull below the centre of mass. The search begins with the support `before`; the
    robot is as level as that one. None where fewer than two feet are apart.
    """
    if before is not None and (found := _of_pair(feet, centre, before.rear, before.front)):
        return found
    c, s = (math.cos(before.pitch), math.sin(before.pitch)) if before is not None else (1.0, 0.0)
    level = [(c * x + s * z, c * z - s * x, i) for i, (x, z) in enumerate(feet)]
    hull = _lower_hull(level)
    if len(hull) < 2:
        return None
    x = c * centre[0] + s * centre[1]
    k = next((k for k in range(1, len(hull) - 1) if level[hull[k]][0] > x), len(hull) - 1)
    for step in (0, 1, -1):  # the centre of mass moves a little as the robot tips onto the edge
        if 1 <= k + step < len(hull) and (found := _of_pair(feet, centre, hull[k + step - 1], hull[k + step])):
            return found
    return _edge(feet, centre, hull[k - 1], hull[k])


def _edge(feet: Sequence[Point], centre: Point, rear: int, front: int) -> Support:
    (x0, z0), (x1, z1) = feet[rear], feet[front]
    dx, dz = x1 - x0, z1 - z0
    share = ((centre[0] - x0) * dx + (centre[1] - z0) * dz) / (dx * dx + dz * dz)
    return Support(rear, front, math.atan2(dz, dx), min(max(share, 0.0), 1.0))


def _of_pair(feet: Sequence[Point], centre: Point, rear: int, front: int) -> Support | None:
    """Return the support by two feet, or None where the weight is not between them or another foot is lower."""
    (x0, z0), (x1, z1) = feet[rear], feet[front]
    dx, dz = x1 - x0, z1 - z0
    square = dx * dx + dz * dz
    if square < 1e-12:
        return None
    share = ((centre[0] - x0) * dx + (centre[1] - z0) * dz) / square
    if not 0.0 <= share <= 1.0:
        return None
    if len(feet) > 2 and any(dx * (z - z0) - dz * (x - x0) < -1e-9 * square for x, z in feet):
        return None
    return Support(rear, front, math.atan2(dz, dx), share)


def _lower_hull(points: Sequence[tuple[float, float, int]]) -> list[int]:
    """Return the indices of the lower hull, from the rear to the front."""
    hull: list[int] = []
    for x, z, i in sorted(points):
        while hull:
            x1, z1, _ = points[hull[-1]]
            if len(hull) == 1:
                if x - x1 > 1e-9:
                    break
                if z >= z1:
                    break
                hull.pop()
                continue
            x0, z0, _ = points[hull[-2]]
            if (x1 - x0) * (z - z0) - (z1 - z0) * (x - x0) > 0.0:
                break
            hull.pop()
        if not hull or x - points[hull[-1]][0] > 1e-9:
            hull.append(i)
    return hull
