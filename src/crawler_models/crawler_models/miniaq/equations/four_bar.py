"""The four-bar leg in closed form: every pin from the crank's angle, for many angles and mechanisms at once.

The leg's plane is x forward, z up, with the motor's axis B at the origin. Angles are about the body's +y, as the
joints' are: a crank at 0 points forward, at 90 degrees down. Two circles meet at the knee C; the leg is built on the
meeting point below the line from D to A.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.linkage_joints import right_of

# a `Quadruped`, or an object whose lengths (m) and angles (rad) are arrays that broadcast against the crank's angles
Lengths = Any


class Pins(NamedTuple):
    """Points as complex numbers x + i z (m), B at the origin; NaN where the chain cannot close."""

    A: Any  # the rocker's hinge on the body
    C: Any  # the knee: coupler and rocker
    D: Any  # coupler on the crank
    E: Any  # the foot
    F: Any  # the fold


def pins(leg: Lengths, crank: Any) -> Pins:
    """All pins at the crank's angle theta_2 (rad)."""
    A = leg.x_A + 1j * np.asarray(leg.z_A)
    D = leg.l_2 * np.exp(-1j * np.asarray(crank))
    C = right_of(D, leg.l_3, A, leg.l_4)
    coupler = (C - D) / leg.l_3  # the direction theta_3
    E = C + leg.l_5 * coupler * np.exp(-1j * np.asarray(leg.theta_35))
    F = C + leg.l_6 * coupler * np.exp(1j * np.asarray(leg.theta_36))
    return Pins(A, C, D, E, F)


def turns(leg: Lengths, crank: Any) -> Pins:
    """The derivatives of the pins by the crank's angle (m/rad): (1) to (6) at a rate of 1 rad/s."""
    p = pins(leg, crank)
    # a bar that turns at w about +y carries its tip at -i w times the bar: v_C = v_D - i w_3 DC = -i w_4 AC
    v_D = -1j * p.D
    DC, AC = p.C - p.D, p.C - p.A
    # (4), the part along AC: what w_4 cannot move
    w_3 = (v_D * AC.conjugate()).real / (1j * DC * AC.conjugate()).real
    v_C = v_D - 1j * w_3 * DC
    return Pins(np.zeros_like(v_D), v_C, v_D, v_D - 1j * w_3 * (p.E - p.D), v_D - 1j * w_3 * (p.F - p.D))


def passive_angles(leg: Lengths, crank: Any) -> FloatArray:
    """The joints coupler, on the crank, and rocker, on the body (rad): one more axis, at the end."""
    p = pins(leg, crank)
    coupler = -np.angle((p.C - p.D) * np.exp(1j * np.asarray(crank)))
    return np.stack([coupler, -np.angle(p.C - p.A)], axis=-1)


def turns_round(leg: Lengths) -> bool:
    """Return True if the crank can make a whole turn."""
    return bool(np.isfinite(pins(leg, np.linspace(0.0, 2.0 * np.pi, 721)).C).all())
