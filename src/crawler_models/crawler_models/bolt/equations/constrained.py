"""The seven constrained coordinates of Appendix A as matrices: H', C', g', Phi, Gamma, dGamma, and rho of Appendix B.

Runs use the same entries without making matrices of them: `crawler_models.bolt.compiled`.
q_d = (q1, x_b, y_b, q2, q3, q4, q5).
"""

from __future__ import annotations

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.bolt.compiled import matrices as entries
from crawler_models.bolt.equations.leg import Leg

# rows and columns of the entries in the order in which `compiled.matrices` returns them
_INERTIA_ENTRIES = "11 12 13 14 15 22 24 25 26 27 34 35 36 37 44 45 55 66 67 77"
_CORIOLIS_ENTRIES = "11 14 15 21 24 25 26 27 31 34 35 36 37 41 44 45 51 54 66 67 76"
_PASSIVE_ENTRIES = "11 13 21 23 31 32 33 34 41 42 43 44"


def inertia(leg: Leg, q_d: FloatArray) -> FloatArray:
    """H', 7 x 7, SI units."""
    H = _matrix(_INERTIA_ENTRIES, entries.inertia.py_func(entries.numbers(leg), _angles(q_d)), 7)
    H[2, 2] = H[1, 1]
    return H + np.triu(H, 1).T


def coriolis(leg: Leg, q_d: FloatArray, dq_d: FloatArray) -> FloatArray:
    """C', 7 x 7."""
    rates = [float(rate) for rate in np.delete(dq_d, [1, 2])]
    return _matrix(_CORIOLIS_ENTRIES, entries.coriolis.py_func(entries.numbers(leg), _angles(q_d), *rates), 7)


def gravity(leg: Leg, q_d: FloatArray) -> FloatArray:
    """g', 7."""
    return np.insert(entries.gravity.py_func(entries.numbers(leg), _angles(q_d)), 1, 0.0)


def constraints(leg: Leg, q_d: FloatArray) -> FloatArray:
    """Phi, 4, m."""
    return np.array(entries.constraints.py_func(entries.numbers(leg), _angles(q_d)))


def by_independent(leg: Leg, q_d: FloatArray) -> FloatArray:
    """Jq, 4 x 3."""
    Jq = np.zeros((4, 3))
    Jq[:, 0] = entries.by_crank.py_func(entries.numbers(leg), _angles(q_d))
    return Jq


def by_passive(leg: Leg, q_d: FloatArray) -> FloatArray:
    """Jz, 4 x 4."""
    return _matrix(_PASSIVE_ENTRIES, entries.by_passive.py_func(entries.numbers(leg), _angles(q_d)), 4)


def extended(leg: Leg, q_d: FloatArray) -> FloatArray:
    """Gamma, 7 x 7: [Jq Jz; I 0]."""
    return np.block([[by_independent(leg, q_d), by_passive(leg, q_d)], [np.eye(3), np.zeros((3, 4))]])


def curvature(leg: Leg, q_d: FloatArray, dq_d: FloatArray) -> FloatArray:
    """dGamma dq_d, the first 4, m/s²; the others are 0."""
    rates = [float(rate) for rate in np.delete(dq_d, [1, 2])]
    return np.array(entries.curvature.py_func(entries.numbers(leg), _angles(q_d), *rates))


def projection(leg: Leg, q_d: FloatArray) -> FloatArray:
    """rho, 7 x 3: the velocities that keep the chain closed, by those of q."""
    return np.vstack([np.eye(3), -np.linalg.solve(by_passive(leg, q_d), by_independent(leg, q_d))])


def _angles(q_d: FloatArray) -> entries.Angles:
    return entries.angles.py_func(*(float(angle) for angle in np.delete(q_d, [1, 2])))


def _matrix(where: str, values: tuple[float, ...], size: int) -> FloatArray:
    matrix = np.zeros((size, size))
    for index, value in zip(where.split(), values, strict=True):
        matrix[int(index[0]) - 1, int(index[1]) - 1] = value
    return matrix
