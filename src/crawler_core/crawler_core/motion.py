"""Motions of the actuated joints as functions of time, and the quintic polynomials that connect them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from crawler_core.types import FloatArray


class Sample(NamedTuple):
    """A motion at given times; arrays have the shape of the times plus one axis of actuated joints."""

    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    acceleration: FloatArray  # rad/s²


class Motion(Protocol):
    """A motion of the actuated joints, in the order of `RobotSpec.actuated`."""

    def sample(self, t: Any) -> Sample:
        """Return the motion at t (s, a number or an array), with exact derivatives."""
        ...


class PeriodicMotion(Motion, Protocol):
    """A motion that repeats, except for full turns of continuous joints. Its phase is 0 at t = 0."""

    @property
    def period(self) -> float:
        """The period (s)."""
        ...


@dataclass(frozen=True)
class ReversedMotion:
    """A motion backward in time."""

    motion: PeriodicMotion

    @property
    def period(self) -> float:
        return self.motion.period

    def sample(self, t: Any) -> Sample:
        position, velocity, acceleration = self.motion.sample(-np.asarray(t, dtype=float))
        return Sample(position, -velocity, acceleration)


def quintic_coefficients(
    h: Any, q0: FloatArray, v0: FloatArray, a0: FloatArray, q1: FloatArray, v1: FloatArray, a1: FloatArray
) -> FloatArray:
    """Return the coefficients of a quintic between two ends in s = (t - t0) / h, shape (6, ...), lowest power first.

    `h` is the length of the cell (s) and broadcasts against the ends. Every element is computed on its own, so the
    bits of a cell do not depend on how many others are computed with it.
    """
    d = q1 - q0
    hv0, hv1 = h * v0, h * v1
    hha0, hha1 = h * h * a0, h * h * a1
    return np.stack(
        np.broadcast_arrays(
            q0,
            hv0,
            0.5 * hha0,
            10.0 * d - 6.0 * hv0 - 4.0 * hv1 - 1.5 * hha0 + 0.5 * hha1,
            -15.0 * d + 8.0 * hv0 + 7.0 * hv1 + 1.5 * hha0 - hha1,
            6.0 * d - 3.0 * (hv0 + hv1) + 0.5 * (hha1 - hha0),
        )
    )


def evaluate_quintic(c: Any, h: Any, s: Any) -> tuple[Any, Any, Any]:
    """Return position, velocity and acceleration at s in [0, 1] of a cell of length `h` (s).

    `c` holds the six coefficients, as floats or as arrays over joints; floats are faster for few joints.
    """
    c0, c1, c2, c3, c4, c5 = c
    return (
        c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5)))),
        (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * (5.0 * c5))))) / h,
        (2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * (20.0 * c5)))) / (h * h),
    )


def ease(u: Any, height: Any = 1.0) -> tuple[Any, Any, Any]:
    """Return the smooth step from 0 to `height` at u in [0, 1] and its two derivatives by u, 0 at both ends."""
    return (
        height * u**3 * (10.0 - 15.0 * u + 6.0 * u**2),
        height * 30.0 * (u * (1.0 - u)) ** 2,
        height * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u),
    )
