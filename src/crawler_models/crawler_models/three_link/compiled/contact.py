"""Coulomb's law (4) at an instant, as `dynamics` and `contact_law` have it, for compiled code.

An instant is the tuple (d'', C, P, K, K d'', Q), with time counted in radians: accelerations over omega^2.
"""

from __future__ import annotations

from numba import njit

TIE_FORCE_SHARE = 1e-6  # of the weight; as contact_law.TIE_FORCE_SHARE, but tables are interpolated between their nodes


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def respond(mass, mu1, mu2, now, s1, s2):
    """Acceleration of foot 1 and the normal forces of both feet in the mode (s1, s2)."""
    d2, c, p, k, kd2, q = now
    if s1 == 0:
        a = 0.0
        f2y = q
    elif s2 == 0:
        a = -d2
        f2y = q + kd2
    else:
        a = (-mu1 * s1 * (p - q) - mu2 * s2 * q - c) / (mass + (mu1 * s1 - mu2 * s2) * k)
        f2y = q - k * a
    return a, p - f2y, f2y


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def margin(mass, mu1, mu2, now, s1, s2):
    """The mode's denominator over the mass; 1 where a foot sticks."""
    if s1 == 0 or s2 == 0:
        return 1.0
    return 1.0 + (mu1 * s1 - mu2 * s2) * now[3] / mass


@njit(cache=True, nogil=True, error_model="numpy")
def slack(mass, mu1, mu2, now, s1, s2, free1, free2):
    """Margin by which the mode obeys (4): positive is consistent. A free foot is at rest and may start either way."""
    a, f1y, f2y = respond(mass, mu1, mu2, now, s1, s2)
    worst = 1e300
    pull = mass * a + now[1]
    if s1 == 0:
        worst = min(worst, mu1 * f1y - abs(pull + mu2 * s2 * f2y))
    elif free1:
        worst = min(worst, s1 * a * mass)
    if s2 == 0:
        worst = min(worst, mu2 * f2y - abs(pull + mu1 * s1 * f1y))
    elif free2:
        worst = min(worst, s2 * (a + now[0]) * mass)
    return worst


@njit(cache=True, nogil=True, error_model="numpy")
def choose(mass, mu1, mu2, weight, now, s1, s2, free1, free2):
    """The most consistent mode when some feet are free: (s1, s2, how many are consistent, smallest margin).

    None is consistent: the count is 0. A tie counts as one.
    """
    best, passing, lowest = -1e300, 0, 1.0
    best1 = best2 = 0
    for i in range(3 if free1 else 1):
        t1 = (0, 1, -1)[i] if free1 else s1
        for j in range(3 if free2 else 1):
            t2 = (0, 1, -1)[j] if free2 else s2
            if t1 == 0 and t2 == 0:
                continue
            lowest = min(lowest, margin(mass, mu1, mu2, now, t1, t2))
            found = slack(mass, mu1, mu2, now, t1, t2, free1, free2)
            if found > 0.0:
                passing += 1
            if found > best:
                best, best1, best2 = found, t1, t2
    if passing == 0 and best >= -TIE_FORCE_SHARE * weight:
        passing = 1
    return best1, best2, passing, lowest
