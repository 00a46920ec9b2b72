"""Sliding of a chain while its shape changes: the motion of least friction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STICK_SPEED_M_S = 1e-5  # m/s; a point that is slower counts as sticking: rounding in the angles moves points by less


class Slide(NamedTuple):
    """Motion and friction at the points of the chain."""

    shift: float  # m/s, that the chain as a whole adds to the points' own velocities
    velocity: Array  # m/s, of every point that carries load, otherwise NaN
    force: Array  # N, friction on each point, along x


def slide(own: Array, normal: Array, friction: float) -> Slide:
    """The chain's shift for which friction dissipates least, given the points' velocities `own` (m/s) without it.

    The sum of N_i |own_i + shift| is least where shift is minus the median of own, weighted by the loads; that point
    sticks, and takes what the sliding ones leave over.
    """
    loaded = np.flatnonzero(normal > 0.0)
    order = loaded[np.argsort(own[loaded], kind="stable")]
    heaped = np.cumsum(normal[order])
    middle = order[int(np.searchsorted(heaped, 0.5 * heaped[-1]))]
    velocity = np.full(len(own), np.nan)
    velocity[loaded] = own[loaded] - own[middle]
    slips = np.abs(np.nan_to_num(velocity)) > STICK_SPEED_M_S
    force = np.where(slips, -friction * normal * np.sign(np.nan_to_num(velocity)), 0.0)
    holding = np.where(slips, 0.0, normal)
    return Slide(-float(own[middle]), velocity, force - force.sum() * holding / holding.sum())
