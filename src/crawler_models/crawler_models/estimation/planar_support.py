"""Support of a planar robot that lies still on flat ground: its attitude, and the load on each of its feet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

PlanarPoint = tuple[float, float]  # m forward and up, in the base's frame


class Support(NamedTuple):
    """The rear and the front foot of the edge that is on the ground, and the pitch that this gives."""

    rear: int
    front: int
    pitch: float  # rad, about +y: positive is nose down


def find_support(
    feet: Sequence[PlanarPoint], centre: PlanarPoint, before: Support | None, height: float
) -> Support | None:
    """Return the support of a robot with these feet and this centre of mass; None where all feet are in one place.

    It is the edge of the feet's lower hull below the centre of mass. The search begins with the support `before`,
    which stays while no other foot is lower by more than `height` (m): that is noise of the angles.
    """
    if before is not None and (found := _of_pair(feet, centre, before.rear, before.front, height)):
        return found
    c, s = (math.cos(before.pitch), math.sin(before.pitch)) if before is not None else (1.0, 0.0)
    level = [(c * x + s * z, c * z - s * x, i) for i, (x, z) in enumerate(feet)]
    hull = _lower_hull(level)
    if len(hull) < 2:
        return None
    x = c * centre[0] + s * centre[1]
    k = next((k for k in range(1, len(hull) - 1) if level[hull[k]][0] > x), len(hull) - 1)
    for step in (0, 1, -1):  # the centre of mass moves a little as the robot tips onto the edge
        if 1 <= k + step < len(hull) and (found := _of_pair(feet, centre, hull[k + step - 1], hull[k + step], 0.0)):
            return found
    (x0, z0), (x1, z1) = feet[hull[k - 1]], feet[hull[k]]
    return Support(hull[k - 1], hull[k], math.atan2(z1 - z0, x1 - x0))


def share_loads(
    places: Sequence[float], touching: Sequence[int], links: Sequence[float], shares: Sequence[float]
) -> list[float]:
    """Return the share of the weight on each foot, with the feet and the links' centres at these places (m forward).

    Each link rests on the touching feet on either side of its centre, as beams do that are hinged over their supports.
    Two feet carry what the balance says.
    """
    loads = [0.0] * len(places)
    order = sorted(touching, key=places.__getitem__)
    for x, share in zip(links, shares, strict=True):
        k = 1
        while k < len(order) - 1 and places[order[k]] < x:
            k += 1
        if len(order) == 1:
            loads[order[0]] += share
            continue
        rear, front = order[k - 1], order[k]
        gap = places[front] - places[rear]
        part = (
            min(max((x - places[rear]) / gap, 0.0), 1.0)
            if len(order) > 2 and gap
            else ((x - places[rear]) / gap if gap else 0.5)
        )
        loads[front] += share * part
        loads[rear] += share * (1.0 - part)
    return [max(load, 0.0) for load in loads]


def _of_pair(feet: Sequence[PlanarPoint], centre: PlanarPoint, rear: int, front: int, height: float) -> Support | None:
    """Return the support by two feet, or None where the weight is not between them or another foot is lower."""
    (x0, z0), (x1, z1) = feet[rear], feet[front]
    dx, dz = x1 - x0, z1 - z0
    square = dx * dx + dz * dz
    if square < 1e-12 or not 0.0 <= (centre[0] - x0) * dx + (centre[1] - z0) * dz <= square:
        return None
    if len(feet) > 2:
        lowest = -(height * math.sqrt(square) + 1e-9 * square)
        if any(dx * (z - z0) - dz * (x - x0) < lowest for x, z in feet):
            return None
    return Support(rear, front, math.atan2(dz, dx))


def _lower_hull(points: Sequence[tuple[float, float, int]]) -> list[int]:
    """Return the indices of the lower hull, from the rear to the front. A point has its index at its end."""
    hull: list[int] = []
    for x, z, i in sorted(points):
        if hull and x - points[hull[-1]][0] < 1e-9:
            continue  # above the one before
        while len(hull) > 1:
            (x0, z0, _), (x1, z1, _) = points[hull[-2]], points[hull[-1]]
            if (x1 - x0) * (z - z0) - (z1 - z0) * (x - x0) > 0.0:
                break
            hull.pop()
        hull.append(i)
    return hull
