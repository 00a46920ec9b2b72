"""The paper's full equations of motion (3) with the terms of its appendix, for unequal links and frictions.

Generalized coordinates q = [x, y, theta, phi_1, phi_2] with (x, y) the central link's centre; q_b = q[:3] moves
freely, q_c = q[3:] is actuated. Equations (9)-(13) are printed for equal distal links; here each link keeps its own
m, l, J, and the terms in (m1 - m2) that cancel in print appear.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crawler_models.three_link.equations.foot_mode import Mode
from crawler_models.three_link.equations.three_link import ThreeLink

Array = NDArray[np.float64]


class MotionTerms(NamedTuple):
    """Terms of (3): M q'' + B + G = E tau + W^T F."""

    M: Array
    B: Array
    G: Array


E = np.vstack((np.zeros((3, 2)), np.eye(2)))  # the torques act on phi_1 and phi_2


def motion_terms(robot: ThreeLink, q: Array, dq: Array) -> MotionTerms:
    """(9), (10) and (11)."""
    m1, m2 = robot.m1, robot.m2
    l0, l1, l2 = robot.l0, robot.l1, robot.l2
    theta, p1, p2 = q[2:]
    dth, dp1, dp2 = dq[2:]
    s1, c1 = np.sin(p1 - theta), np.cos(p1 - theta)
    s2, c2 = np.sin(p2 + theta), np.cos(p2 + theta)
    st, ct = np.sin(theta), np.cos(theta)
    n1, n2 = 0.5 * l1 * m1, 0.5 * l2 * m2
    n0 = 0.5 * l0 * (m1 - m2)

    m13 = n1 * s1 + n2 * s2 + n0 * st
    m23 = n1 * c1 - n2 * c2 - n0 * ct
    m33 = (
        robot.J0
        + robot.J1
        + robot.J2
        + 0.25 * m1 * (l0**2 + l1**2 - 2.0 * l0 * l1 * np.cos(p1))
        + 0.25 * m2 * (l0**2 + l2**2 - 2.0 * l0 * l2 * np.cos(p2))
    )
    m34 = 0.5 * n1 * (l0 * np.cos(p1) - l1) - robot.J1
    m35 = robot.J2 + 0.5 * n2 * (l2 - l0 * np.cos(p2))
    m44 = 0.5 * l1 * n1 + robot.J1
    m55 = 0.5 * l2 * n2 + robot.J2
    mass = np.array(
        [
            [robot.mass, 0.0, m13, -n1 * s1, n2 * s2],
            [0.0, robot.mass, m23, -n1 * c1, -n2 * c2],
            [m13, m23, m33, m34, m35],
            [-n1 * s1, -n1 * c1, m34, m44, 0.0],
            [n2 * s2, -n2 * c2, m35, 0.0, m55],
        ]
    )
    b3 = 0.5 * l0 * (n1 * (2.0 * dth * dp1 - dp1**2) * np.sin(p1) + n2 * (dp2**2 + 2.0 * dth * dp2) * np.sin(p2))
    bias = np.array(
        [
            n2 * (dp2 + dth) ** 2 * c2 - n1 * (dp1 - dth) ** 2 * c1 + n0 * dth**2 * ct,
            # Printed with a minus and (dp1 + dth)^2; both signs are wrong.
            n2 * (dp2 + dth) ** 2 * s2 + n1 * (dp1 - dth) ** 2 * s1 + n0 * dth**2 * st,
            b3,
            -0.5 * l0 * n1 * dth**2 * np.sin(p1),
            -0.5 * l0 * n2 * dth**2 * np.sin(p2),
        ]
    )
    weight = robot.g * np.array([0.0, robot.mass, m23, -n1 * c1, -n2 * c2])
    return MotionTerms(mass, bias, weight)


def foot_jacobians(robot: ThreeLink, q: Array, dq: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """(12) and (13): (W1, W2), each with rows w^x and w^y, and their time derivatives."""
    l0, l1, l2 = robot.l0, robot.l1, robot.l2
    theta, p1, p2 = q[2:]
    dth, rate1, rate2 = dq[2], dq[3] - dq[2], dq[4] + dq[2]
    ls1, lc1 = l1 * np.sin(p1 - theta), l1 * np.cos(p1 - theta)
    ls2, lc2 = l2 * np.sin(p2 + theta), l2 * np.cos(p2 + theta)
    hs, hc = 0.5 * l0 * np.sin(theta), 0.5 * l0 * np.cos(theta)
    w1 = np.array([[1.0, 0.0, ls1 + hs, -ls1, 0.0], [0.0, 1.0, lc1 - hc, -lc1, 0.0]])
    w2 = np.array([[1.0, 0.0, ls2 - hs, 0.0, ls2], [0.0, 1.0, hc - lc2, 0.0, -lc2]])
    dls1, dlc1 = lc1 * rate1, -ls1 * rate1
    dls2, dlc2 = lc2 * rate2, -ls2 * rate2
    dhs, dhc = hc * dth, -hs * dth
    dw1 = np.array([[0.0, 0.0, dls1 + dhs, -dls1, 0.0], [0.0, 0.0, dlc1 - dhc, -dlc1, 0.0]])
    dw2 = np.array([[0.0, 0.0, dls2 - dhs, 0.0, dls2], [0.0, 0.0, dhc - dlc2, 0.0, -dlc2]])
    return (w1, w2), (dw1, dw2)


class Response(NamedTuple):
    """Solution of the block system: accelerations, joint torques, and forces [f1x, f1y, f2x, f2y]."""

    ddq: Array
    tau: Array
    forces: Array


class BlockSystem(NamedTuple):
    """(18) or (20) as A z = b + c q_c'', with z = [q_b'', tau, unknown contact forces]."""

    A: Array
    b: Array
    c: Array
    contact_map: Array  # from the unknown contact forces to [f1x, f1y, f2x, f2y], with (4b) in it

    def respond(self, ddqc: Array) -> Response:
        """Solve for prescribed joint accelerations."""
        z = np.asarray(np.linalg.solve(self.A, self.b + self.c @ ddqc), dtype=float)
        return Response(np.concatenate((z[:3], ddqc)), z[3:5], self.contact_map @ z[5:])


def block_system(robot: ThreeLink, q: Array, dq: Array, mode: Mode) -> BlockSystem:
    """The paper's (18) for a sticking foot, from (15), and its (20) when both slip, from (17).

    A sticking foot has two unknown forces and two constraints; a slipping one has its normal force and w^y.
    """
    terms = motion_terms(robot, q, dq)
    jacobians, derivatives = foot_jacobians(robot, q, dq)
    rows, drift, columns = [], [], []
    for foot, (w, dw, s, mu) in enumerate(zip(jacobians, derivatives, mode, (robot.mu1, robot.mu2), strict=True)):
        block = np.zeros((4, 2 if s == 0 else 1))
        # (16) reads Gamma_i = [-mu sgn x_i'; 1]: printed with 0 in the second place.
        block[2 * foot : 2 * foot + 2] = np.eye(2) if s == 0 else [[-mu * s], [1.0]]
        columns.append(block)
        constrained = w if s == 0 else w[1:]
        rows.append(constrained)
        drift.append((dw if s == 0 else dw[1:]) @ dq)
    contact_map = np.hstack(columns)
    constraint = np.vstack(rows)
    count = len(constraint)
    left = np.block(
        [
            [terms.M[:, :3], -E, -np.vstack(jacobians).T @ contact_map],
            [constraint[:, :3], np.zeros((count, 2 + contact_map.shape[1]))],
        ]
    )
    right = np.concatenate((-terms.B - terms.G, -np.concatenate(drift)))
    coupling = -np.vstack((terms.M[:, 3:], constraint[:, 3:]))
    return BlockSystem(left, right, coupling, contact_map)


def contact_acceleration_map(robot: ThreeLink, q: Array, dq: Array, mode: Mode) -> tuple[Array, Array]:
    """S1 and S0 of [x1'', x2''] = S1 q_c'' + S0, from (21) in (23)."""
    system = block_system(robot, q, dq, mode)
    (w1, w2), (dw1, dw2) = foot_jacobians(robot, q, dq)
    wx, dwx = np.vstack((w1[0], w2[0])), np.vstack((dw1[0], dw2[0]))
    body = np.linalg.solve(system.A, np.column_stack((system.c, system.b)))[:3]  # T = [I 0], 3 x 7 when both slip
    return wx[:, :3] @ body[:, :2] + wx[:, 3:], wx[:, :3] @ body[:, 2] + dwx @ dq
