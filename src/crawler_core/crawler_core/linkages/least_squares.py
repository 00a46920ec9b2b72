"""Least squares of small systems, in plain floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

MIN_INDEPENDENT_SHARE = 1e-9  # of a column's length: a smaller rest depends on the columns before


def least_squares(columns: Sequence[Sequence[float]], right: Sequence[float]) -> list[float] | None:
    """Return the factors of the columns whose sum is nearest to `right`; None where columns depend on each other.

    By modified Gram-Schmidt in floats: columns have 3 to 12 rows, for which calls of numpy take longer.
    """
    basis: list[tuple[list[float], float, list[float]]] = []
    rest = list(right)
    for column in columns:
        left = list(column)
        whole = math.sqrt(_dot(left, left))
        shares = []
        for other, _, _ in basis:
            share = _dot(other, left)
            shares.append(share)
            left = [a - share * b for a, b in zip(left, other, strict=True)]
        length = math.sqrt(_dot(left, left))
        if length <= MIN_INDEPENDENT_SHARE * whole or length == 0.0:
            return None
        unit = [a / length for a in left]
        along = _dot(unit, rest)
        rest = [a - along * b for a, b in zip(rest, unit, strict=True)]
        basis.append((unit, along, [*shares, length]))
    solution = [0.0] * len(basis)
    for k in range(len(basis) - 1, -1, -1):
        known = sum(basis[j][2][k] * solution[j] for j in range(k + 1, len(basis)))
        solution[k] = (basis[k][1] - known) / basis[k][2][k]
    return solution


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(map(mul, a, b))
