"""RODAS of Hairer and Wanner, "Solving Ordinary Differential Equations II": a Rosenbrock method for stiff systems.

Order 4 in six stages with one Jacobian and one factorisation, L-stable and stiffly accurate. Its last stage is the
error of an embedded method of order 3, and a cubic joins the ends of a step.
"""

from __future__ import annotations

import numba
import numpy as np

from crawler_models.miniaq.compiled.equations import RATE, STATES, rates

GAMMA = 0.25
A = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [1.544, 0.0, 0.0, 0.0, 0.0],
        [0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0],
        [3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0],
        [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 0.0],
        [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0],
    ]
)
C = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [-5.6688, 0.0, 0.0, 0.0, 0.0],
        [-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0],
        [-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0],
        [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160, 0.0],
        [8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054],
    ]
)
DENSE_COEFFICIENTS = np.array(
    [
        [10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662],
        [-0.6762803392806898, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872],
    ]
)
STAGE_COUNT = 6


@numba.njit(cache=True, error_model="numpy")
def factor(W, size):
    """W = L U in place, L with ones. Most rows are all but empty, and their zeros are passed over.

    No pivots are sought: the diagonal outweighs all else at the steps that errors allow, and a step that is not
    finite is tried again shorter.
    """
    for k in range(size):
        inverse = 1.0 / W[k, k]
        for i in range(k + 1, size):
            if W[i, k] != 0.0:
                W[i, k] *= inverse
                by = W[i, k]
                for j in range(k + 1, size):
                    W[i, j] -= by * W[k, j]


@numba.njit(cache=True, error_model="numpy")
def solve(W, b, size):
    """Turn b into W^-1 b, with W factored."""
    for i in range(1, size):
        total = b[i]
        for j in range(i):
            total -= W[i, j] * b[j]
        b[i] = total
    for i in range(size - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, size):
            total -= W[i, j] * b[j]
        b[i] = total / W[i, i]


@numba.njit(cache=True, error_model="numpy")
def step(n, y, effort, J, dy, h, U, to, W, force):
    """From y with its Jacobian and rates dy to `to`; U[5] is the error's estimate."""
    size = STATES if n.spin > 0.0 else RATE  # the rates that stay are left out
    for i in range(size):
        for j in range(size):
            W[i, j] = -J[i, j]
        W[i, i] += 1.0 / (h * GAMMA)
    factor(W, size)
    for stage in range(STAGE_COUNT):
        row = U[stage]
        if stage == 0:
            row[:] = dy
        else:
            for i in range(STATES):
                to[i] = y[i]
            for k in range(stage):
                by = A[stage, k]
                for i in range(STATES):
                    to[i] += by * U[k, i]
            rates(n, to, effort, row, force)
            for k in range(stage):
                by = C[stage, k] / h
                for i in range(STATES):
                    row[i] += by * U[k, i]
        solve(W, row, size)
    for i in range(STATES):
        to[i] += U[5, i]


@numba.njit(cache=True, error_model="numpy")
def between(y, to, U, s, at):
    """The state at the share `s` of the step from y to `to`."""
    for i in range(STATES):
        bend = twist = 0.0
        for k in range(5):
            bend += DENSE_COEFFICIENTS[0, k] * U[k, i]
            twist += DENSE_COEFFICIENTS[1, k] * U[k, i]
        at[i] = y[i] * (1.0 - s) + s * (to[i] + (1.0 - s) * (bend + s * twist))
