"""End of a contact mode: a slipping foot stops, or a sticking foot's friction is exhausted.

Nodes are looked at one after the other; a cell is searched when its end shows the event, and also when something dips
inside it, so that two events within one cell are not missed.
"""

from __future__ import annotations

import math

from numba import njit

from crawler_models.three_link.compiled.interpolation import curvature, slope, slope_root, vertex
from crawler_models.three_link.compiled.lookup import feet_distance, foot_path, instant, node
from crawler_models.three_link.compiled.table import D1, D2, EXTRA_ROWS, PAD_ROWS, P

_NEAR_CONE_SHARE = 0.02  # of the friction that the whole weight would give: a cone with more left is not about to break


@njit(cache=True, nogil=True, error_model="numpy")
def first_stop(p, offset, sign, s, tolerance):
    """Find where sign * (slope + offset) of a quintic first turns negative between s and 1; 2 if it does not.

    A dip of less than ``tolerance`` is none.
    """
    end = sign * (slope(p, 1.0) + offset)
    if end < 0.0:
        return slope_root(p, offset, s, 1.0, 1.0)
    # A dip inside the cell: it falls at s and rises at 1.
    c0 = sign * curvature(p, s)
    c1 = sign * curvature(p, 1.0)
    if c0 >= 0.0 or c1 <= 0.0:
        return 2.0
    low, high = s, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if sign * curvature(p, middle) < 0.0:
            low = middle
        else:
            high = middle
    if sign * (slope(p, low) + offset) >= -tolerance:
        return 2.0
    return slope_root(p, offset, s, low, s)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def cone(mass, mu1, mu2, now, s1, s2):
    """Friction that the sticking foot has left before it slides: (to the left, to the right)."""
    d2, c, p, _, kd2, q = now
    if s1 == 0:
        reach, pull = mu1 * (p - q), c + mu2 * s2 * q
    else:
        f2y = q + kd2
        reach, pull = mu2 * f2y, c - mass * d2 + mu1 * s1 * (p - f2y)
    return reach - pull, reach + pull


@njit(cache=True, nogil=True, error_model="numpy")
def stick_breaks(mass, mu1, mu2, gamma, chain, i, s, s1, s2):
    """Find where in cell i after s the sticking foot leaves its cone; 2 if it does not."""
    ends = cone(mass, mu1, mu2, node(mass, gamma, chain, i + 1), s1, s2)
    reach = 0.5 * (ends[0] + ends[1])
    first = 2.0
    for side in range(2):
        end = ends[side]
        low, high = s, 1.0
        if end >= 0.0:
            # The lowest point may lie inside: look where the neighbours' parabola has it.
            before = cone(mass, mu1, mu2, node(mass, gamma, chain, i), s1, s2)[side]
            earlier = cone(mass, mu1, mu2, node(mass, gamma, chain, i - 1), s1, s2)[side]
            after = cone(mass, mu1, mu2, node(mass, gamma, chain, i + 2), s1, s2)[side]
            if before <= end:
                lowest, place = vertex(earlier, before, end)
            else:
                lowest, place = vertex(before, end, after)
                place += 1.0
            if lowest > 1e-3 * reach or not s < place < 1.0:
                continue
            around = (max(s, place - 0.5), min(1.0, place + 0.5))
            bottom = _lowest_cone(mass, mu1, mu2, gamma, chain, i, s1, s2, side, around)
            end = cone(mass, mu1, mu2, instant(mass, gamma, chain, i, bottom), s1, s2)[side]
            if end >= 0.0:
                continue
            high = bottom
        start = cone(mass, mu1, mu2, instant(mass, gamma, chain, i, s), s1, s2)[side]
        if start < 0.0:
            return s
        # false position in Illinois' manner: the end that stays counts half
        at_low, at_high = start, end
        for _ in range(60):
            new = high - at_high * (high - low) / (at_high - at_low)
            found = cone(mass, mu1, mu2, instant(mass, gamma, chain, i, new), s1, s2)[side]
            if found < 0.0:
                moved = high - new
                high, at_high = new, found
                at_low *= 0.5
            else:
                moved = new - low
                low, at_low = new, found
                at_high *= 0.5
            if high - low < 1e-11 or moved < 1e-12:
                break
        first = min(first, high)
    return first


@njit(cache=True, nogil=True, error_model="numpy")
def _lowest_cone(mass, mu1, mu2, gamma, chain, i, s1, s2, side, around):
    """Golden-section search for the lowest value of one side of the cone in cell i."""
    low, high = around
    ratio = 0.6180339887498949
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa = cone(mass, mu1, mu2, instant(mass, gamma, chain, i, a), s1, s2)[side]
    fb = cone(mass, mu1, mu2, instant(mass, gamma, chain, i, b), s1, s2)[side]
    for _ in range(40):
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = cone(mass, mu1, mu2, instant(mass, gamma, chain, i, a), s1, s2)[side]
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = cone(mass, mu1, mu2, instant(mass, gamma, chain, i, b), s1, s2)[side]
    return 0.5 * (low + high)


@njit(cache=True, nogil=True, error_model="numpy")
def slip_end(gamma, chain, slip, i, s, speed, s1, s2, still):
    """Find the end of slipping from s in cell i: (cell, place in it, foot that stops there).

    ``speed`` is what the mode's own velocity lacks. The end of the period is (N, 0, 0).
    """
    count = chain.shape[0] - EXTRA_ROWS
    h = 2.0 * math.pi / count
    # signs of the feet's accelerations at the left end of the cell, for dips inside it
    b1 = s1 * curvature(foot_path(slip, gamma, h, i), s)
    b2 = -1.0
    while i < count:
        n = i + 1 + PAD_ROWS
        v = slip[i + 1, 2] + gamma * slip[i + 1, 3] + speed
        w = v + chain[n, D1]
        a = slip[i + 1, 0] + gamma * slip[i + 1, 1]
        e1, e2 = s1 * a, s2 * (a + chain[n, D2])
        if s1 * v < 0.0 or s2 * w < 0.0 or (b1 < 0.0 and e1 > 0.0) or (b2 < 0.0 and e2 > 0.0):
            p = foot_path(slip, gamma, h, i)
            d = feet_distance(chain, h, i)
            both = (p[0] + d[0], p[1] + d[1], p[2] + d[2], p[3] + d[3], p[4] + d[4], p[5] + d[5])
            stop1 = first_stop(p, h * speed, s1, s, h * still)
            stop2 = first_stop(both, h * speed, s2, s, h * still)
            if stop1 <= 1.0 or stop2 <= 1.0:
                return i, min(stop1, stop2), 1 if stop1 <= stop2 else 2
        b1, b2 = e1, e2
        i += 1
        s = 0.0
    return i, 0.0, 0


@njit(cache=True, nogil=True, error_model="numpy")
def stick_end(mass, mu1, mu2, gamma, chain, i, s, s1, s2, still):
    """Find the end of sticking, as `slip_end`; foot 0 means that the stick breaks, 3 that both feet rest."""
    count = chain.shape[0] - EXTRA_ROWS
    h = 2.0 * math.pi / count
    sign = s2 if s1 == 0 else -s1  # of d'
    while i < count:
        n = i + 1 + PAD_ROWS
        sides = cone(mass, mu1, mu2, node(mass, gamma, chain, i + 1), s1, s2)
        near = min(sides[0], sides[1]) < _NEAR_CONE_SHARE * mu1 * (chain[n, P] + gamma * mass)
        turns = sign * chain[n, D1] < 0.0 or (sign * chain[n - 1, D2] < 0.0 and sign * chain[n, D2] > 0.0)
        if near or turns:
            breaks = stick_breaks(mass, mu1, mu2, gamma, chain, i, s, s1, s2) if near else 2.0
            stop = first_stop(feet_distance(chain, h, i), 0.0, sign, s, h * still) if turns else 2.0
            if breaks <= 1.0 or stop <= 1.0:
                return i, min(breaks, stop), 0 if breaks <= stop else 3
        i += 1
        s = 0.0
    return i, 0.0, 0
