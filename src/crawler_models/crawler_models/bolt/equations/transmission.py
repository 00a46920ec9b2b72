"""Transmission of the six-bar: the foot's Jacobian, and the margin to a dead centre."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.bolt.equations.six_bar import Lengths, Pins, pins


class Transmission(NamedTuple):
    """Transmission angles (rad, from 0 to pi; a dead centre is at either end) and the determinant of Jz (m^4)."""

    upper: FloatArray  # at B, between HFE link and femur
    lower: FloatArray  # at G, between KFE link and tibia
    det_Jz: FloatArray


def transmission(leg: Lengths, crank: Any) -> Transmission:
    """At the crank's angle q1 (rad); NaN where the chain cannot close."""
    p = pins(leg, crank)
    at_B, at_G = np.angle(np.conj(p.B - p.D) * (p.B - p.A)), np.angle(np.conj(p.G - p.C) * (p.G - p.E))
    # Jz of Appendix B has blocks of one loop each on its diagonal, and each is as singular as its loop is flat
    det = -leg.l_2 * leg.l_f * np.sin(at_B) * leg.l_3 * leg.l_t * np.sin(at_G)
    return Transmission(np.abs(at_B), np.abs(at_G), det)


def foot_slope(leg: Lengths, crank: Any) -> Any:
    """dF/dq1 in the body's frame, x + i y, m/rad."""
    return slope(leg, pins(leg, crank))


def slope(leg: Lengths, p: Pins) -> Any:
    """The same where the pins are known. The rates are those of the bars' directions per crank angle."""
    hfe, femur, kfe, tibia = p.B - p.D, p.B - p.A, p.G - p.C, p.G - p.E
    rate_hfe = -_cross(p.D, femur) / _cross(hfe, femur)
    rate_femur = -_cross(p.D, hfe) / _cross(hfe, femur)
    C, E = p.D + rate_hfe * (p.C - p.D), rate_femur * (p.E - p.A)  # their velocities, over i
    rate_tibia = _cross(E - C, kfe) / _cross(kfe, tibia)
    return 1j * (E + rate_tibia * (p.F - p.E))


def _cross(a: Any, b: Any) -> Any:
    return (np.conj(a) * b).imag
