"""The closed chain over one period, tabulated once for all frequencies, frictions and accelerations of gravity.

Time is tau = omega t and every derivative is with respect to it. Then, divided by omega^2, a force is
(inertial part) + (g / omega^2) (weight part), and so is every mode's acceleration: two columns serve all omega.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

# columns of a chain table
D, D1, D2, C, P, K, KD2, QA, QG = range(9)  # d, d', d'', C, P without weight, K, K d'', Q: inertial and weight part
CHAIN_COLUMNS = 9
PAD_ROWS = 2  # rows repeated before node 0; four more follow node N - 1, for interpolation across the ends
EXTRA_ROWS = 2 * PAD_ROWS + 2

# columns of a robot's row
M0, L0, J0, M1, L1, J1, M2, L2, J2 = range(9)

# The slip-slip modes in the order of their tables.
SLIP_SIGNS = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])


def _moments() -> tuple[Array, Array]:
    """Weights over six nodes for the integral of f and of (1 - s) f over the middle cell."""
    nodes = np.arange(-2.0, 4.0)
    powers = np.arange(6)
    vandermonde = nodes[None, :] ** powers[:, None]
    whole = np.linalg.solve(vandermonde, 1.0 / (powers + 1))
    first = np.linalg.solve(vandermonde, 1.0 / (powers + 1) - 1.0 / (powers + 2))
    return np.asarray(whole, dtype=float), np.asarray(first, dtype=float)


AREA, MOMENT = _moments()


@njit(cache=True, nogil=True, error_model="numpy")
def fill_chain(robot, q, dq, ddq, out):
    """Write the table of one robot (a row of nine numbers) and one joint motion (N, 2) into ``out`` (N + 6, 9).

    Returns how far a six-point interpolation is off between nodes, relative to the largest force.
    """
    m0, l0, j0 = robot[M0], robot[L0], robot[J0]
    m1, l1, j1 = robot[M1], robot[L1], robot[J1]
    m2, l2, j2 = robot[M2], robot[L2], robot[J2]
    count = q.shape[0]
    for i in range(count):
        p1, p2 = q[i, 0], q[i, 1]
        dp1, dp2 = dq[i, 0], dq[i, 1]
        ddp1, ddp2 = ddq[i, 0], ddq[i, 1]
        u1 = complex(math.cos(p1), math.sin(p1))
        u2 = complex(math.cos(p2), -math.sin(p2))
        z = l0 - l1 * u1 - l2 * u2
        dz = 1j * (l2 * dp2 * u2 - l1 * dp1 * u1)
        ddz = l1 * (dp1 * dp1 - 1j * ddp1) * u1 + l2 * (dp2 * dp2 + 1j * ddp2) * u2
        d = math.sqrt(z.real * z.real + z.imag * z.imag)
        w = dz / z  # (log Z)' = d'/d + i theta'
        dw = ddz / z - w * w
        theta1, theta2 = w.imag, dw.imag
        e0 = z / d
        e1 = e0 * u1.conjugate()
        e2 = e0 * u2.conjugate()
        rate1, rate2 = theta1 - dp1, theta1 + dp2
        alpha1, alpha2 = theta2 - ddp1, theta2 + ddp2
        e0_2 = (1j * theta2 - theta1 * theta1) * e0
        e1_2 = (1j * alpha1 - rate1 * rate1) * e1
        e2_2 = (1j * alpha2 - rate2 * rate2) * e2
        r1 = -0.5 * l1 * e1
        r0 = 0.5 * l0 * e0 - l1 * e1
        r2 = l0 * e0 - l1 * e1 - 0.5 * l2 * e2
        a1 = -0.5 * l1 * e1_2
        a0 = 0.5 * l0 * e0_2 - l1 * e1_2
        a2 = l0 * e0_2 - l1 * e1_2 - 0.5 * l2 * e2_2
        moment = m0 * r0 + m1 * r1 + m2 * r2
        force = m0 * a0 + m1 * a1 + m2 * a2
        turning = (
            m0 * (r0.real * a0.imag - r0.imag * a0.real)
            + m1 * (r1.real * a1.imag - r1.imag * a1.real)
            + m2 * (r2.real * a2.imag - r2.imag * a2.real)
            + j0 * theta2
            + j1 * alpha1
            + j2 * alpha2
        )
        d2 = d * (dw.real + w.real * w.real)
        height = moment.imag / d
        n = i + PAD_ROWS
        out[n, D], out[n, D1], out[n, D2] = d, d * w.real, d2
        out[n, C], out[n, P] = force.real, force.imag
        out[n, K], out[n, KD2] = height, height * d2
        out[n, QA], out[n, QG] = turning / d, moment.real / d
    for k in range(PAD_ROWS):
        out[k] = out[count + k]
    for k in range(EXTRA_ROWS - PAD_ROWS):
        out[count + PAD_ROWS + k] = out[PAD_ROWS + k]
    return _coarseness(out, count)


@njit(cache=True, nogil=True, error_model="numpy")
def _coarseness(table, count):
    """Interpolate every second node from the others; six-point errors fall by 2^6 from that spacing to this one."""
    worst = 0.0
    for column in (D2, C, P, QA):
        size, off = 1e-300, 0.0
        for i in range(1, count, 2):
            total = 0.0
            for k, weight in ((1, 150.0), (3, -25.0), (5, 3.0)):
                total += weight * (
                    table[PAD_ROWS + (i + k) % count, column] + table[PAD_ROWS + (i - k) % count, column]
                )
            off = max(off, abs(total / 256.0 - table[PAD_ROWS + i, column]))
            size = max(size, abs(table[PAD_ROWS + i, column]))
        worst = max(worst, off / size)
    return worst / 64.0


@njit(cache=True, nogil=True, error_model="numpy")
def fill_slips(mass, chain, mu1, mu2, out):
    """Write how foot 1 moves in the four slip-slip modes into ``out`` (4, N + 1, 6).

    The columns are the inertial and the weight part of its acceleration, velocity and position; the latter two are
    integrals from node 0.
    """
    count = chain.shape[0] - EXTRA_ROWS
    h = 2.0 * math.pi / count
    padded = np.empty((2, count + EXTRA_ROWS))
    for k in range(4):
        f1, f2 = mu1 * SLIP_SIGNS[k, 0], mu2 * SLIP_SIGNS[k, 1]
        for n in range(count + EXTRA_ROWS):
            inverse = 1.0 / (mass + (f1 - f2) * chain[n, K])
            inertial, weight = chain[n, QA], chain[n, QG]
            padded[0, n] = (-f1 * (chain[n, P] - inertial) - f2 * inertial - chain[n, C]) * inverse
            padded[1, n] = (-f1 * (mass - weight) - f2 * weight) * inverse
        for part in range(2):
            v = x = 0.0
            row = padded[part]
            for i in range(count + 1):
                n = i + PAD_ROWS
                out[k, i, part], out[k, i, 2 + part], out[k, i, 4 + part] = row[n], v, x
                area = moment = 0.0
                if i < count:
                    for j in range(6):
                        area += AREA[j] * row[n - 2 + j]
                        moment += MOMENT[j] * row[n - 2 + j]
                x += h * (v + h * moment)
                v += h * area
