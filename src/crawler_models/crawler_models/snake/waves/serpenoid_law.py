"""The joint angles of a step by the paper's (8) and (9).

Misprints put right: (8) has J_i for i = 3..n with the wrong sign and gives increments where it says angles; (9) must
add phi_1 at the second link, and its last row theta_n and J_(n+1).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from crawler_models.snake.waves.wave import Wave

Array = NDArray[np.float64]


def angles(wave: Wave, s: Array) -> tuple[Array, Array, Array]:
    """J_1 to J_(n+2) in the last axis, and their first two derivatives by s."""
    theta = wave.theta_1  # theta_n = -theta_1
    start = np.array([theta, wave.phi[0], theta, 0.0])  # J_1, J_2, J_(n+1), J_(n+2) at s = 0
    turn = np.array([-theta, theta - wave.phi[0], wave.phi[-1] - theta, theta])  # and what (4) adds up to s = 1
    h = 0.5 * math.pi
    rise = (np.sin(h * s), h * np.cos(h * s), -h * h * np.sin(h * s))  # sin(omega_2 t)
    ends = [turn * values[..., np.newaxis] for values in rise]
    ends[0] = start + ends[0]
    middles = inner(wave, s)
    return tuple(  # type: ignore[return-value]
        np.concatenate([end[..., :2], middle, end[..., 2:]], axis=-1) for end, middle in zip(ends, middles, strict=True)
    )


def inner(wave: Wave, s: Array) -> tuple[Array, Array, Array]:
    """J_3 to J_n: the serpenoid curve passing by, (5), and its first two derivatives by s."""
    beta = math.pi / wave.n
    phase = beta * (np.arange(2, wave.n) - s[..., np.newaxis])  # omega_1 t = beta s
    sin, cos = wave.alpha * np.sin(phase), wave.alpha * np.cos(phase)
    return -sin, beta * cos, beta * beta * sin
