"""The path of a base over the ground, measured along its own heading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import FloatArray


class GroundPath(NamedTuple):
    """The displacement from the first position to the last."""

    forward: float  # m, along the heading at each step
    lateral: float  # m, to the left of it
    turn: float  # rad, to the left


def forward_distances(positions: ArrayLike, yaw: ArrayLike) -> FloatArray:
    """Return the distance (m) of each of `positions` (n, 2, m) from the first, along the heading.

    `yaw` (n, rad) is unwrapped.
    """
    moved, middle = _steps(positions, yaw)
    return np.append(0.0, np.cumsum(np.cos(middle) * moved[:, 0] + np.sin(middle) * moved[:, 1]))


def measure_ground_path(positions: ArrayLike, yaw: ArrayLike) -> GroundPath:
    """Return the path through `positions` (n, 2, m), with the heading `yaw` (n, rad, unwrapped) at each."""
    heading = np.asarray(yaw, dtype=float)
    moved, middle = _steps(positions, heading)
    forward = np.cos(middle) @ moved[:, 0] + np.sin(middle) @ moved[:, 1]
    lateral = np.cos(middle) @ moved[:, 1] - np.sin(middle) @ moved[:, 0]
    return GroundPath(float(forward), float(lateral), float(heading[-1] - heading[0]))


def _steps(positions: ArrayLike, yaw: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the displacements from each position to the next (m), and the mean heading on them (rad)."""
    heading = np.asarray(yaw, dtype=float)
    return np.diff(np.asarray(positions, dtype=float), axis=0), 0.5 * (heading[1:] + heading[:-1])
