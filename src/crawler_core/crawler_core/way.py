"""The way of a base over the ground, counted along its own heading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Way(NamedTuple):
    """From the first place to the last."""

    ahead: float  # m, along the heading as it was on the way
    left: float  # m, aside from it
    turn: float  # rad, to the left


def way(places: ArrayLike, yaw: ArrayLike) -> Way:
    """Through `places` (n, 2, m), with the heading `yaw` (n, rad, unwrapped) at each."""
    heading = np.asarray(yaw, dtype=float)
    moved = np.diff(np.asarray(places, dtype=float), axis=0)
    middle = 0.5 * (heading[1:] + heading[:-1])
    ahead = np.cos(middle) @ moved[:, 0] + np.sin(middle) @ moved[:, 1]
    left = np.cos(middle) @ moved[:, 1] - np.sin(middle) @ moved[:, 0]
    return Way(float(ahead), float(left), float(heading[-1] - heading[0]))
