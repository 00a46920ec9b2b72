"""Between the nodes of a table."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def quintic(x0, v0, a0, x1, v1, a1):
    """Coefficients of the quintic on [0, 1] with these values, slopes and curvatures at its ends."""
    rise = x1 - x0 - v0 - 0.5 * a0
    turn = v1 - v0 - a0
    bend = a1 - a0
    return (
        x0,
        v0,
        0.5 * a0,
        10.0 * rise - 4.0 * turn + 0.5 * bend,
        -15.0 * rise + 7.0 * turn - bend,
        6.0 * rise - 3.0 * turn + 0.5 * bend,
    )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def value(p, s):
    """A quintic at s."""
    return p[0] + s * (p[1] + s * (p[2] + s * (p[3] + s * (p[4] + s * p[5]))))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def slope(p, s):
    """Its first derivative."""
    return p[1] + s * (2.0 * p[2] + s * (3.0 * p[3] + s * (4.0 * p[4] + s * 5.0 * p[5])))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def curvature(p, s):
    """Its second derivative."""
    return 2.0 * p[2] + s * (6.0 * p[3] + s * (12.0 * p[4] + s * 20.0 * p[5]))


@njit(cache=True, nogil=True, error_model="numpy")
def slope_root(p, offset, a, b, guess):
    """Find the zero of slope + offset between a and b, whose signs differ or where one of them is the double root.

    Newton from ``guess``, held in the bracket that the sign at ``b`` defines.
    """
    end = slope(p, b) + offset
    low, high, s = a, b, guess
    for _ in range(60):
        f = slope(p, s) + offset
        if (f < 0.0) == (end < 0.0):
            high = s
        else:
            low = s
        df = curvature(p, s)
        step = -f / df if df != 0.0 else 0.0
        new = s + step
        if not (low <= new <= high) or df == 0.0:
            new = 0.5 * (low + high)
        if abs(new - s) < 1e-11:
            return new
        s = new
    return s


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def lagrange(s):
    """Weights of the nodes -2 .. 3 at s in [0, 1]."""
    a, b, c, d, e, f = s + 2.0, s + 1.0, s, s - 1.0, s - 2.0, s - 3.0
    ab, ef = a * b, e * f
    cd = c * d
    return (
        -b * cd * ef / 120.0,
        a * cd * ef / 24.0,
        -ab * d * ef / 12.0,
        ab * c * ef / 12.0,
        -ab * cd * f / 24.0,
        ab * cd * e / 120.0,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def vertex(left, middle, right):
    """Lowest value of the parabola through three neighbours, the middle one lowest, and its place in steps from it."""
    bend = right - 2.0 * middle + left
    if bend <= 0.0:
        return middle, 0.0
    tilt = 0.5 * (right - left)
    return middle - 0.5 * tilt * tilt / bend, -tilt / bend
