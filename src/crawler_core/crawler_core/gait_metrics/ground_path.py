"""The way of a base over the ground, counted along its own heading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import FloatArray


class GroundPath(NamedTuple):
    """From the first place to the last."""

    forward: float  # m, along the heading as it was on the way
    lateral: float  # m, aside from it
    turn: float  # rad, to the left


def forward_distances(places: ArrayLike, yaw: ArrayLike) -> FloatArray:
    """How far (m) along the heading each of `places` (n, 2, m) is from the first; `yaw` (n, rad) is unwrapped."""
    moved, middle = _steps(places, yaw)
    return np.append(0.0, np.cumsum(np.cos(middle) * moved[:, 0] + np.sin(middle) * moved[:, 1]))


def measure_ground_path(places: ArrayLike, yaw: ArrayLike) -> GroundPath:
    """Through `places` (n, 2, m), with the heading `yaw` (n, rad, unwrapped) at each."""
    heading = np.asarray(yaw, dtype=float)
    moved, middle = _steps(places, heading)
    forward = np.cos(middle) @ moved[:, 0] + np.sin(middle) @ moved[:, 1]
    left = np.cos(middle) @ moved[:, 1] - np.sin(middle) @ moved[:, 0]
    return GroundPath(float(forward), float(left), float(heading[-1] - heading[0]))


def _steps(places: ArrayLike, yaw: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """From each place to the next, m, and the heading meanwhile, rad."""
    heading = np.asarray(yaw, dtype=float)
    return np.diff(np.asarray(places, dtype=float), axis=0), 0.5 * (heading[1:] + heading[:-1])
