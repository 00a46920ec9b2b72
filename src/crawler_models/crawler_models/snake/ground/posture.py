"""Posture of a chain of given shape on flat ground: it rests on the edge of its lower hull below its weight."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# m; points nearer the ground than this share the load: far less than any servo gives way, far more than rounding
TOUCH_DISTANCE = 1e-5


@dataclass(frozen=True)
class Posture:
    """A chain at rest. Points are P_0 to P_N; x is along the ground, z above it, and P_0 is at x = 0."""

    pitch: float  # of link 1, rad, counter-clockwise
    x: Array  # of the points, m
    z: Array  # of the points, m

    @property
    def touching(self) -> NDArray[np.bool_]:
        """Which points are on the ground."""
        return self.z < TOUCH_DISTANCE


def settle(q: Array, length: float, pitch: float) -> Posture:
    """The posture that a chain with joint angles `q` (rad) and links of `length` (m) sinks into.

    It starts with link 1 at `pitch` and its lowest point on the ground, and rolls over its points, as its weight wants,
    until that stands between two of them.
    """
    links = length * np.exp(1j * np.concatenate(([0.0], np.cumsum(q))))
    points = np.concatenate(([0j], np.cumsum(links)))
    # each link's weight acts in its middle
    centre = complex(0.5 * (points[1:] + points[:-1]).mean())
    turn = complex(math.cos(pitch), math.sin(pitch))
    pivot = int(np.argmin((points * turn).imag))
    side = 0.0
    for _ in range(2 * len(points)):
        offset = (points - points[pivot]) * turn
        lean = ((centre - points[pivot]) * turn).real
        if lean * side < 0.0 or lean == 0.0:
            break  # the weight is between this point and the one before
        side = math.copysign(1.0, lean)
        ahead = offset.real * side > 1e-12
        if not ahead.any():
            break  # cannot be: the weight is within the hull
        slope = np.where(ahead, np.arctan2(offset.imag, np.where(ahead, offset.real * side, 1.0)), math.inf)
        pivot = int(np.argmin(slope))
        turn *= complex(math.cos(side * slope[pivot]), -math.sin(side * slope[pivot]))
    placed = points * turn
    return Posture(math.atan2(turn.imag, turn.real), placed.real, placed.imag - placed.imag.min())
