"""One period of crawling from node 0, phase by phase; the compiled counterpart of `hybrid.simulate`."""

from __future__ import annotations

import math

from numba import njit

from crawler_models.three_link.compiled.contact import choose, margin, respond
from crawler_models.three_link.compiled.interpolation import slope, value, vertex
from crawler_models.three_link.compiled.lookup import feet_distance, foot_path, instant, node
from crawler_models.three_link.compiled.phase_end import slip_end, stick_end
from crawler_models.three_link.compiled.table import D1, EXTRA_ROWS, PAD_ROWS

EVENT_DELAY_RAD = 1e-7 * 2.0 * math.pi  # rad: modes are compared this long after an event, as in `hybrid`
AT_REST = 1e-12  # of the feet's largest relative speed
MANY_EVENTS = 60

# why a cycle ended
FINE, PAINLEVE, NO_MODE, ENDLESS = range(4)


@njit(cache=True, nogil=True, error_model="numpy")
def lowest_loads(mass, mu1, mu2, gamma, chain, s1, s2, first, last):
    """Smallest normal force and smallest margin over the nodes first .. last in one mode."""
    low1 = low2 = 1e300
    at1 = at2 = -1
    thin = 1.0
    for i in range(first, last + 1):
        now = node(mass, gamma, chain, i)
        _, f1, f2 = respond(mass, mu1, mu2, now, s1, s2)
        thin = min(thin, margin(mass, mu1, mu2, now, s1, s2))
        if f1 < low1:
            low1, at1 = f1, i
        if f2 < low2:
            low2, at2 = f2, i
    low = min(low1, low2)
    for foot in range(1, 3):
        at = at1 if foot == 1 else at2
        if first < at < last:  # between the nodes it may be lower
            left = respond(mass, mu1, mu2, node(mass, gamma, chain, at - 1), s1, s2)[foot]
            middle = respond(mass, mu1, mu2, node(mass, gamma, chain, at), s1, s2)[foot]
            right = respond(mass, mu1, mu2, node(mass, gamma, chain, at + 1), s1, s2)[foot]
            low = min(low, vertex(left, middle, right)[0])
    return low, thin


@njit(cache=True, nogil=True, error_model="numpy")
def run_cycle(mass, mu1, mu2, gamma, chain, slips, fastest, v):
    """From foot 1's velocity ``v`` at node 0 through one period.

    Returns (velocity at the end, distance of foot 1, derivative of that velocity by ``v``, smallest normal force,
    smallest margin, uniqueness, end code).
    """
    count = chain.shape[0] - EXTRA_ROWS
    h = 2.0 * math.pi / count
    weight = mass * gamma
    still = AT_REST * fastest
    x, gain = 0.0, 1.0
    low, thin, unique = 1e300, 1.0, True
    i, s = 0, 0.0
    w = v + chain[PAD_ROWS, D1]
    free1, free2 = abs(v) <= still, abs(w) <= still
    s1 = 0 if free1 else (1 if v > 0.0 else -1)
    s2 = 0 if free2 else (1 if w > 0.0 else -1)
    if free1 or free2:
        now = instant(mass, gamma, chain, 0, EVENT_DELAY_RAD / h)
        s1, s2, passing, lowest = choose(mass, mu1, mu2, weight, now, s1, s2, free1, free2)
        thin, unique = min(thin, lowest), passing == 1
        if passing == 0:
            return v, x, gain, low, thin, False, NO_MODE
        if s1 == 0 or s2 == 0:
            gain = 0.0

    for _ in range(MANY_EVENTS):
        first, start = i, s
        k = (0 if s1 > 0 else 2) + (0 if s2 > 0 else 1)
        slipping = s1 != 0 and s2 != 0
        if slipping:
            path = foot_path(slips[k], gamma, h, i)
            speed, origin = v - slope(path, s) / h, value(path, s)
            i, s, stopped = slip_end(gamma, chain, slips[k], i, s, speed, s1, s2, still)
        else:
            speed, origin = 0.0, 0.0
            i, s, stopped = stick_end(mass, mu1, mu2, gamma, chain, i, s, s1, s2, still)

        # how far it went
        end_i, end_s = (count - 1, 1.0) if i == count else (i, s)
        gap = feet_distance(chain, h, end_i)
        if slipping:
            path = foot_path(slips[k], gamma, h, end_i)
            x += value(path, end_s) - origin + speed * h * ((end_i - first) + end_s - start)
            v = slope(path, end_s) / h + speed
        elif s1 == 0:
            v = 0.0
        else:
            x -= value(gap, end_s) - value(feet_distance(chain, h, first), start)
            v = -slope(gap, end_s) / h
        last = end_i + 1 if end_s >= 1.0 else end_i
        lowest, thinnest = lowest_loads(mass, mu1, mu2, gamma, chain, s1, s2, first + 1 if start > 0.0 else first, last)
        low, thin = min(low, lowest), min(thin, thinnest)
        if i == count:
            if s1 != 0 and s2 == 0:
                v = -chain[PAD_ROWS, D1]
            return v, x, gain, low, thin, unique, FINE

        # what comes next
        later = end_s + EVENT_DELAY_RAD / h
        now = instant(mass, gamma, chain, end_i, later)
        a_old, f1, f2 = respond(mass, mu1, mu2, now, s1, s2)
        low = min(low, min(f1, f2))
        w = v + slope(gap, end_s) / h
        free1 = s1 == 0 or stopped == 1 or stopped == 3 or abs(v) <= still
        free2 = s2 == 0 or stopped == 2 or stopped == 3 or abs(w) <= still
        old1, old2 = s1, s2
        s1, s2, passing, lowest = choose(mass, mu1, mu2, weight, now, s1, s2, free1, free2)
        thin = min(thin, lowest)
        if passing == 0:
            return v, x, gain, low, thin, False, NO_MODE
        if lowest <= 0.0:
            return v, x, gain, low, thin, False, PAINLEVE
        unique = unique and passing == 1
        a_new, f1, f2 = respond(mass, mu1, mu2, now, s1, s2)
        low = min(low, min(f1, f2))
        if s1 == 0 or s2 == 0 or (free1 and free2):
            gain = 0.0
        elif stopped == 1:
            gain *= a_new / a_old
        elif stopped == 2:
            gain *= (a_new + now[0]) / (a_old + now[0])
        if free1:
            v = 0.0
        elif free2:
            v = -slope(gap, end_s) / h
        if s1 == old1 and s2 == old2:  # a guard only grazed zero: searching from there again would hold time still
            s = later
        if s >= 1.0:
            s -= 1.0
            i += 1
            if i >= count:
                return v, x, gain, low, thin, unique, FINE
    return v, x, gain, low, thin, False, ENDLESS
