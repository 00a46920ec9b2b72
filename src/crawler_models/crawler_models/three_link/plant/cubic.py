"""Small polynomials on 0 <= s <= 1 in plain floats: what one tick of the plant is made of."""

from __future__ import annotations

import math

Cubic = tuple[float, float, float, float]
"""c0 + c1 s + c2 s^2 + c3 s^3."""


def parabola(start: float, middle: float, end: float) -> Cubic:
    """Through the values at s = 0, 1/2 and 1."""
    return (start, 4.0 * middle - 3.0 * start - end, 2.0 * (start + end) - 4.0 * middle, 0.0)


def integral(c: Cubic, constant: float, scale: float) -> Cubic:
    """``constant`` plus ``scale`` times the integral from 0 of a parabola."""
    return (constant, scale * c[0], scale * c[1] / 2.0, scale * c[2] / 3.0)


def evaluate(c: Cubic, s: float) -> float:
    """Value at ``s``."""
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]))


def first_negative(c: Cubic, start: float) -> float | None:
    """Earliest s in [start, 1) after which the cubic is negative, None if it stays positive.

    The Bernstein coefficients bound the cubic on the interval, so a dip between the ends is seen; only when they fail
    are the extrema computed.
    """
    w = 1.0 - start
    p0 = evaluate(c, start)
    p1 = w * (c[1] + start * (2.0 * c[2] + 3.0 * start * c[3]))
    p2 = w * w * (c[2] + 3.0 * start * c[3])
    p3 = w * w * w * c[3]
    end = p0 + p1 + p2 + p3
    if p0 >= 0.0 and end >= 0.0 and 3.0 * p0 + p1 >= 0.0 and 3.0 * p0 + 2.0 * p1 + p2 >= 0.0:
        return None
    if p0 < 0.0:
        return start
    left = start
    for right in (*_extrema(c, start), 1.0):  # monotone between neighbours
        if evaluate(c, right) < 0.0:
            return _bisect(c, left, right)
        left = right
    return None


def _extrema(c: Cubic, start: float) -> list[float]:
    a, b, k = 3.0 * c[3], c[2], c[1]  # derivative: a s^2 + 2 b s + k
    discriminant = b * b - a * k
    if discriminant <= 0.0:
        return []
    q = -(b + math.copysign(math.sqrt(discriminant), b))
    roots = ([q / a] if a else []) + ([k / q] if q else [])
    return sorted(s for s in roots if start < s < 1.0)


def _bisect(c: Cubic, left: float, right: float) -> float:
    for _ in range(50):
        middle = 0.5 * (left + right)
        if evaluate(c, middle) < 0.0:
            right = middle
        else:
            left = middle
    return left
