"""The six-bar linkage in closed form: every pin from the crank's angle, for many angles and mechanisms at once.

Two circles meet at B, and two at G; each pair has a meeting point on either side of the line between the centres, and
the leg is built on the right one. Angles are counter-clockwise from the paper's x axis, which is the world's; y is up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.linkage_joints import right_of

# a `Leg`, or an object whose lengths (m) and angle (rad) are arrays that broadcast against the crank's angles
Lengths = Any


class Pins(NamedTuple):
    """Points as complex numbers x + i y (m) in the body's frame, P at the origin; NaN where the chain cannot close."""

    A: Any  # the femur's hinge on the body
    B: Any  # HFE link and femur
    C: Any  # KFE link on the HFE link
    D: Any  # HFE link on the crank
    E: Any  # the knee
    F: Any  # the foot
    G: Any  # KFE link and tibia


def pins(leg: Lengths, crank: Any) -> Pins:
    """All pins at the crank's angle q1 (rad)."""
    A = leg.l_c * np.exp(1j * np.asarray(leg.theta))
    D = leg.l_1 * np.exp(1j * np.asarray(crank))
    B = right_of(D, leg.l_2, A, leg.l_f)
    C = D + leg.l_s / leg.l_2 * (B - D)
    E = A + leg.l_4 / leg.l_f * (B - A)
    G = right_of(C, leg.l_3, E, leg.l_t)
    F = E + leg.l_5 / leg.l_t * (G - E)
    return Pins(A, B, C, D, E, F, G)


def passive_angles(leg: Lengths, crank: Any) -> FloatArray:
    """q2 to q5 (rad) at the crank's angle: one more axis, at the end. Each is within half a turn of 0."""
    p = pins(leg, crank)
    along_2, along_3, along_4, along_5 = p.B - p.D, p.G - p.C, p.B - p.A, p.G - p.E
    q2 = np.angle(along_2 * np.exp(-1j * np.asarray(crank)))
    return np.stack([q2, np.angle(along_3 / along_2), np.angle(along_4), np.angle(along_5 / along_4)], axis=-1)
