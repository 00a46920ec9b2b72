"""Appendix A and B of the paper, entry by entry, for compiled code.

The chain is cut at B and G; q_d = (q1, x_b, y_b, q2, q3, q4, q5). Entries that the paper does not list are zero or, of
H', symmetric. c1, c12 and c123 are the cosines of q1, q1 + q2 and q1 + q2 + q3, c4 and c45 of q4 and q4 + q5; d1 to d5
are the rates of q1 to q5.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import cache
from typing import NamedTuple

from numba import njit

from crawler_models.bolt.equations.leg import Leg


class Numbers(NamedTuple):
    """Numbers of a `Leg` as a named tuple, since compiled code takes no dataclass."""

    A_x: float  # m, the femur's hinge, from P
    A_y: float
    l_1: float
    l_2: float
    l_3: float
    l_4: float
    l_5: float
    l_s: float
    l_f: float
    l_t: float
    m_2: float
    m_3: float
    m_4: float
    m_5: float
    m: float  # kg, of everything
    c_2: float  # l_cm,2
    c_3: float
    c_4: float
    c_5: float
    I_1: float  # kg m², with the rotor's: the body that it turns against does not pitch
    I_2: float
    I_3: float
    I_4: float
    I_5: float
    g: float


@cache
def numbers(leg: Leg) -> Numbers:
    """The leg for compiled code."""
    values = asdict(leg)
    values |= {
        "A_x": leg.l_c * math.cos(leg.theta),
        "A_y": leg.l_c * math.sin(leg.theta),
        "m": leg.mass,
        "I_1": leg.I_1 + leg.I_r,
    }
    return Numbers(**{name: float(values[name]) for name in Numbers._fields})


class Angles(NamedTuple):
    """Cosines and sines of the links' directions."""

    c1: float
    s1: float
    c12: float
    s12: float
    c123: float
    s123: float
    c4: float
    s4: float
    c45: float
    s45: float


@njit(cache=True, error_model="numpy")
def angles(q1, q2, q3, q4, q5):
    """From the joint angles, rad."""
    q12, q45 = q1 + q2, q4 + q5
    q123 = q12 + q3
    return Angles(
        math.cos(q1),
        math.sin(q1),
        math.cos(q12),
        math.sin(q12),
        math.cos(q123),
        math.sin(q123),
        math.cos(q4),
        math.sin(q4),
        math.cos(q45),
        math.sin(q45),
    )


@njit(cache=True, error_model="numpy")
def inertia(n, a):
    """H': H11, H12, H13, H14, H15, H22, H24, H25, H26, H27, H34, H35, H36, H37, H44, H45, H55, H66, H67, H77.

    H33 is H22: the paper's lacks m_b.
    """
    cos2 = a.c12 * a.c1 + a.s12 * a.s1
    cos3 = a.c123 * a.c12 + a.s123 * a.s12
    cos23 = a.c123 * a.c1 + a.s123 * a.s1
    cos5 = a.c45 * a.c4 + a.s45 * a.s4
    at_2 = n.m_2 * n.c_2 + n.m_3 * n.l_s  # kg m, along the HFE link
    at_3 = n.m_3 * n.c_3
    at_4 = n.m_4 * n.c_4 + n.m_5 * n.l_4
    at_5 = n.m_5 * n.c_5
    H55 = n.I_3 + n.c_3**2 * n.m_3
    H45 = H55 + n.c_3 * n.l_s * n.m_3 * cos3
    H44 = n.I_2 + n.c_2**2 * n.m_2 + n.l_s**2 * n.m_3 + 2.0 * H45 - H55
    H15 = H45 + n.l_1 * at_3 * cos23
    H14 = H44 + n.l_1 * (at_2 * cos2 + at_3 * cos23)
    H11 = n.I_1 + n.l_1**2 * (n.m_2 + n.m_3) + 2.0 * H14 - H44  # the paper's lacks l_1^2 m_3
    H25, H35 = -at_3 * a.s123, at_3 * a.c123  # the paper's H35 has a spurious l_1 l_cm,2 m_2 cos q2
    H24, H34 = H25 - at_2 * a.s12, H35 + at_2 * a.c12
    at_1 = n.l_1 * (n.m_2 + n.m_3)
    H12, H13 = H24 - at_1 * a.s1, H34 + at_1 * a.c1  # the m_3 term of the paper's H13 has the wrong sign
    H27, H37 = -at_5 * a.s45, at_5 * a.c45
    H26, H36 = H27 - at_4 * a.s4, H37 + at_4 * a.c4
    H77 = n.I_5 + n.c_5**2 * n.m_5
    H67 = H77 + n.l_4 * at_5 * cos5
    H66 = n.I_4 + n.c_4**2 * n.m_4 + n.l_4**2 * n.m_5 + 2.0 * H67 - H77
    return H11, H12, H13, H14, H15, n.m, H24, H25, H26, H27, H34, H35, H36, H37, H44, H45, H55, H66, H67, H77


@njit(cache=True, error_model="numpy")
def coriolis(n, a, d1, d2, d3, d4, d5):
    """C': C11, C14, C15, C21, C24, C25, C26, C27, C31, C34, C35, C36, C37, C41, C44, C45, C51, C54, C66, C67, C76."""
    sin2 = a.s12 * a.c1 - a.c12 * a.s1
    sin3 = a.s123 * a.c12 - a.c123 * a.s12
    sin23 = a.s123 * a.c1 - a.c123 * a.s1
    sin5 = a.s45 * a.c4 - a.c45 * a.s4
    at_2 = n.m_2 * n.c_2 + n.m_3 * n.l_s
    at_3 = n.m_3 * n.c_3
    at_4 = n.m_4 * n.c_4 + n.m_5 * n.l_4
    at_5 = n.m_5 * n.c_5
    bend_3 = n.l_s * at_3 * sin3
    bend_12 = n.l_1 * (at_2 * sin2 + at_3 * sin23)
    bend_13 = n.l_1 * at_3 * sin23 + bend_3
    bend_5 = n.l_4 * at_5 * sin5
    d12, d45 = d1 + d2, d4 + d5
    d123 = d12 + d3
    C11 = -d3 * bend_13 - d2 * bend_12
    C14 = -d3 * bend_13 - d12 * bend_12
    C15 = -d123 * bend_13
    C25, C35 = -d123 * at_3 * a.c123, -d123 * at_3 * a.s123
    C24, C34 = C25 - d12 * at_2 * a.c12, C35 - d12 * at_2 * a.s12
    at_1 = n.l_1 * (n.m_2 + n.m_3)  # the m_2 term of the paper's C21 has l_s for l_1, that of its C31 lacks -dq1
    C21, C31 = C24 - d1 * at_1 * a.c1, C34 - d1 * at_1 * a.s1
    C27, C37 = -d45 * at_5 * a.c45, -d45 * at_5 * a.s45
    C26, C36 = C27 - d4 * at_4 * a.c4, C37 - d4 * at_4 * a.s4
    C41 = d1 * bend_12 - d3 * bend_3
    C44 = -d3 * bend_3
    C45 = -d123 * bend_3
    C51 = d1 * bend_13 + d2 * bend_3
    C54 = d12 * bend_3
    C66 = -d5 * bend_5
    C67 = -d45 * bend_5
    C76 = d4 * bend_5
    return C11, C14, C15, C21, C24, C25, C26, C27, C31, C34, C35, C36, C37, C41, C44, C45, C51, C54, C66, C67, C76


@njit(cache=True, error_model="numpy")
def gravity(n, a):
    """g': g1, g3, g4, g5, g6, g7. The paper's g3 has m for m_b, and lacks m_4 and m_5."""
    g5 = n.g * n.m_3 * n.c_3 * a.c123
    g4 = g5 + n.g * (n.m_2 * n.c_2 + n.m_3 * n.l_s) * a.c12
    g1 = g4 + n.g * n.l_1 * (n.m_2 + n.m_3) * a.c1
    g7 = n.g * n.m_5 * n.c_5 * a.c45
    g6 = g7 + n.g * (n.m_4 * n.c_4 + n.m_5 * n.l_4) * a.c4
    return g1, n.g * n.m, g4, g5, g6, g7


@njit(cache=True, error_model="numpy")
def constraints(n, a):
    """Phi, m: what keeps B and G from closing, x and y of each."""
    at_B = n.l_1 * a.c1 - n.A_x, n.l_1 * a.s1 - n.A_y
    return (
        n.l_2 * a.c12 - n.l_f * a.c4 + at_B[0],
        n.l_2 * a.s12 - n.l_f * a.s4 + at_B[1],
        n.l_s * a.c12 + n.l_3 * a.c123 - n.l_4 * a.c4 - n.l_t * a.c45 + at_B[0],
        n.l_s * a.s12 + n.l_3 * a.s123 - n.l_4 * a.s4 - n.l_t * a.s45 + at_B[1],
    )


@njit(cache=True, error_model="numpy")
def by_crank(n, a):
    """Jq's only column that is not zero, that of q1: dPhi / dq1."""
    return (
        -n.l_2 * a.s12 - n.l_1 * a.s1,
        n.l_2 * a.c12 + n.l_1 * a.c1,
        -n.l_s * a.s12 - n.l_1 * a.s1 - n.l_3 * a.s123,
        n.l_s * a.c12 + n.l_1 * a.c1 + n.l_3 * a.c123,
    )


@njit(cache=True, error_model="numpy")
def by_passive(n, a):
    """Jz: J11, J13, J21, J23 and J31, J32, J33, J34, J41, J42, J43, J44."""
    J11, J13, J21, J23 = -n.l_2 * a.s12, n.l_f * a.s4, n.l_2 * a.c12, -n.l_f * a.c4
    J32, J34, J42, J44 = -n.l_3 * a.s123, n.l_t * a.s45, n.l_3 * a.c123, -n.l_t * a.c45
    J31, J33, J41, J43 = J32 - n.l_s * a.s12, J34 + n.l_4 * a.s4, J42 + n.l_s * a.c12, J44 - n.l_4 * a.c4
    return J11, J13, J21, J23, J31, J32, J33, J34, J41, J42, J43, J44


@njit(cache=True, error_model="numpy")
def curvature(n, a, d1, d2, d3, d4, d5):
    """dGamma v, m/s²: the second derivative of Phi without accelerations.

    Of dGamma, the paper's 41 has + l_1 for - l_1 and l_s cos for l_s sin, and its 44 l_s cos for l_s sin.
    """
    w1, w12, w123, w4, w45 = d1**2, (d1 + d2) ** 2, (d1 + d2 + d3) ** 2, d4**2, (d4 + d5) ** 2
    at_D = -n.l_1 * a.c1 * w1, -n.l_1 * a.s1 * w1
    return (
        at_D[0] - n.l_2 * a.c12 * w12 + n.l_f * a.c4 * w4,
        at_D[1] - n.l_2 * a.s12 * w12 + n.l_f * a.s4 * w4,
        at_D[0] - n.l_s * a.c12 * w12 - n.l_3 * a.c123 * w123 + n.l_4 * a.c4 * w4 + n.l_t * a.c45 * w45,
        at_D[1] - n.l_s * a.s12 * w12 - n.l_3 * a.s123 * w123 + n.l_4 * a.s4 * w4 + n.l_t * a.s45 * w45,
    )
