"""The leg in its independent coordinates q = (q1, x_b, y_b), and the singular perturbation (17) that closes the loops.

Only q1's column of rho = [I; -Jz^-1 Jq] differs from the identity's, and neither x_b nor y_b nor their rates appear in
any term: H, C and g of (14) come down to eleven scalars, and the contact needs six more of the foot.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from crawler_models.bolt.compiled.matrices import (
    angles,
    by_crank,
    by_passive,
    constraints,
    coriolis,
    curvature,
    gravity,
    inertia,
)


class Terms(NamedTuple):
    """Terms of the equations of motion in q, at one crank angle and rate; SI units.

    h11 ddq1 + h12 ddx + h13 ddy + b1 = tau + fx1 F_T + fy1 F_N
    h12 ddq1 + m ddx + b2 = F_T
    h13 ddq1 + m ddy + b3 = F_N
    """

    h11: float
    h12: float
    h13: float
    m: float
    b1: float  # C dq + g
    b2: float
    b3: float
    fx: float  # m, the foot from P
    fy: float
    fx1: float  # m/rad, by the crank's angle along the constraints
    fy1: float
    fx2: float  # m/s², the foot's acceleration without the crank's
    fy2: float
    u2: float  # d q2 / d q1 along the constraints, -Jz^-1 Jq
    u3: float
    u4: float
    u5: float
    e2: float  # rad, Jz^-1 Phi: how far the chain is from closing
    e3: float
    e4: float
    e5: float


@njit(cache=True, error_model="numpy")
def solve_passive(jz, r1, r2, r3, r4):
    """Jz^-1 r: B closes with q2 and q4 alone, then G with q3 and q5."""
    J11, J13, J21, J23, J31, J32, J33, J34, J41, J42, J43, J44 = jz
    upper = 1.0 / (J11 * J23 - J13 * J21)
    x2, x4 = upper * (J23 * r1 - J13 * r2), upper * (J11 * r2 - J21 * r1)
    r3, r4 = r3 - J31 * x2 - J33 * x4, r4 - J41 * x2 - J43 * x4
    lower = 1.0 / (J32 * J44 - J34 * J42)
    return x2, lower * (J44 * r3 - J34 * r4), x4, lower * (J32 * r4 - J42 * r3)


@njit(cache=True, error_model="numpy")
def determinant(n, q1, q2, q3, q4, q5):
    """Return the determinant of Jz."""
    J11, J13, J21, J23, _, J32, _, J34, _, J42, _, J44 = by_passive(n, angles(q1, q2, q3, q4, q5))
    return -(J11 * J23 - J13 * J21) * (J32 * J44 - J34 * J42)


@njit(cache=True, error_model="numpy")
def reduce(n, q1, q2, q3, q4, q5, dq1):
    """`Terms` at a state, whether the chain is closed or not. All velocities in them are v = rho dq."""
    a = angles(q1, q2, q3, q4, q5)
    jz = by_passive(n, a)
    jq1, jq2, jq3, jq4 = by_crank(n, a)
    u2, u3, u4, u5 = solve_passive(jz, -jq1, -jq2, -jq3, -jq4)
    d2, d3, d4, d5 = u2 * dq1, u3 * dq1, u4 * dq1, u5 * dq1
    k1, k2, k3, k4 = curvature(n, a, dq1, d2, d3, d4, d5)
    a2, a3, a4, a5 = solve_passive(jz, -k1, -k2, -k3, -k4)  # a0
    p1, p2, p3, p4 = constraints(n, a)
    e2, e3, e4, e5 = solve_passive(jz, p1, p2, p3, p4)

    H11, H12, H13, H14, H15, m, H24, H25, H26, H27, H34, H35, H36, H37, H44, H45, H55, H66, H67, H77 = inertia(n, a)
    C11, C14, C15, C21, C24, C25, C26, C27, C31, C34, C35, C36, C37, C41, C44, C45, C51, C54, C66, C67, C76 = coriolis(
        n, a, dq1, d2, d3, d4, d5
    )
    g1, g3, g4, g5, g6, g7 = gravity(n, a)
    # H' rho, its first column
    n1 = H11 + H14 * u2 + H15 * u3
    n4 = H14 + H44 * u2 + H45 * u3
    n5 = H15 + H45 * u2 + H55 * u3
    n6 = H66 * u4 + H67 * u5
    n7 = H67 * u4 + H77 * u5
    # C' v + g' + H' a0
    r1 = C11 * dq1 + C14 * d2 + C15 * d3 + g1 + H14 * a2 + H15 * a3
    r4 = C41 * dq1 + C44 * d2 + C45 * d3 + g4 + H44 * a2 + H45 * a3
    r5 = C51 * dq1 + C54 * d2 + g5 + H45 * a2 + H55 * a3
    r6 = C66 * d4 + C67 * d5 + g6 + H66 * a4 + H67 * a5
    r7 = C76 * d4 + g7 + H67 * a4 + H77 * a5
    b2 = C21 * dq1 + C24 * d2 + C25 * d3 + C26 * d4 + C27 * d5 + H24 * a2 + H25 * a3 + H26 * a4 + H27 * a5
    b3 = C31 * dq1 + C34 * d2 + C35 * d3 + C36 * d4 + C37 * d5 + H34 * a2 + H35 * a3 + H36 * a4 + H37 * a5 + g3

    # the foot, from P
    d45, a45, u45 = d4 + d5, a4 + a5, u4 + u5
    fx = n.A_x + n.l_4 * a.c4 + n.l_5 * a.c45
    fy = n.A_y + n.l_4 * a.s4 + n.l_5 * a.s45
    return Terms(
        n1 + n4 * u2 + n5 * u3 + n6 * u4 + n7 * u5,
        H12 + H24 * u2 + H25 * u3 + H26 * u4 + H27 * u5,
        H13 + H34 * u2 + H35 * u3 + H36 * u4 + H37 * u5,
        m,
        r1 + r4 * u2 + r5 * u3 + r6 * u4 + r7 * u5,
        b2,
        b3,
        fx,
        fy,
        -n.l_4 * a.s4 * u4 - n.l_5 * a.s45 * u45,
        n.l_4 * a.c4 * u4 + n.l_5 * a.c45 * u45,
        -n.l_4 * (a.s4 * a4 + a.c4 * d4**2) - n.l_5 * (a.s45 * a45 + a.c45 * d45**2),
        n.l_4 * (a.c4 * a4 - a.s4 * d4**2) + n.l_5 * (a.c45 * a45 - a.s45 * d45**2),
        u2,
        u3,
        u4,
        u5,
        e2,
        e3,
        e4,
        e5,
    )
