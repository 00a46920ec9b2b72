"""A rigid foot on rigid ground: in the air, pinned, or sliding with Coulomb's friction; and the touch-down's impact."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

# `crawler_models.bolt.simulation.hybrid_run.Mode`; numba would compile everything again for each of three plain numbers
FLIGHT, STICK, SLIP = (np.int64(mode) for mode in range(3))
NEAR = 0.01


@njit(cache=True, error_model="numpy")
def accelerate(k, mode, pull, tau):
    """(ddq1, ddx, ddy, F_T, F_N) with the terms `k` in a mode, and the inertia that the crank feels (kg m²).

    `pull` is F_T / F_N where the foot slips: mu against its motion. What is left of a slipping foot's inertia over NEAR
    of the leg's is returned: not positive is Painlevé's paradox, near which forces grow without bound.
    """
    if mode == FLIGHT:  # (17)
        inertia = k.h11 - (k.h12**2 + k.h13**2) / k.m
        a1 = (tau - k.b1 + (k.h12 * k.b2 + k.h13 * k.b3) / k.m) / inertia
        return a1, -(k.h12 * a1 + k.b2) / k.m, -(k.h13 * a1 + k.b3) / k.m, 0.0, 0.0, inertia
    # the foot neither rises nor sinks: F_N = p a1 + r
    p, r = k.h13 - k.m * k.fy1, k.b3 - k.m * k.fy2
    if mode == STICK:  # nor slides: F_T = s a1 + w
        s, w = k.h12 - k.m * k.fx1, k.b2 - k.m * k.fx2
        inertia = k.h11 - k.h12 * k.fx1 - k.h13 * k.fy1 - k.fx1 * s - k.fy1 * p
        a1 = (tau - k.b1 + k.h12 * k.fx2 + k.h13 * k.fy2 + k.fx1 * w + k.fy1 * r) / inertia
        return a1, -(k.fx2 + k.fx1 * a1), -(k.fy2 + k.fy1 * a1), s * a1 + w, p * a1 + r, inertia
    lever = k.fy1 + pull * k.fx1
    inertia = k.h11 + k.h12 * (pull * p - k.h12) / k.m - k.h13 * k.fy1 - lever * p
    a1 = (tau - k.b1 - k.h12 * (pull * r - k.b2) / k.m + k.h13 * k.fy2 + lever * r) / inertia
    F_N = p * a1 + r
    left = inertia - NEAR * k.h11
    return a1, (pull * F_N - k.h12 * a1 - k.b2) / k.m, -(k.fy2 + k.fy1 * a1), pull * F_N, F_N, left


@njit(cache=True, error_model="numpy")
def kinetic(k, dq1, dx, dy):
    """Kinetic energy, J."""
    return 0.5 * (k.h11 * dq1**2 + k.m * (dx**2 + dy**2)) + dq1 * (k.h12 * dx + k.h13 * dy)


@njit(cache=True, error_model="numpy")
def impact(k, mu, dq1, dx, dy):
    """The inelastic impact (18), (19): (dq1, dx, dy) after it, tangential and normal impulse (N s), slipping or not.

    With friction enough the foot comes to rest. With less it slides while the normal impulse grows, may stop or turn
    meanwhile, and the impact ends when the foot sinks no more. All NaN where it never does: the impact jams.
    """
    # Jc H^-1 Jc', with H^-1 by the crank's inertia with a free body
    free = k.h11 - (k.h12**2 + k.h13**2) / k.m
    jx, jy = k.fx1 - k.h12 / k.m, k.fy1 - k.h13 / k.m
    tt, tn, nn = jx**2 / free + 1.0 / k.m, jx * jy / free, jy**2 / free + 1.0 / k.m
    vt, vn = dx + k.fx1 * dq1, dy + k.fy1 * dq1
    along, normal = 0.0, 0.0
    slips = False
    if mu < math.inf and vt != 0.0:
        ratio = -math.copysign(mu, vt)
        stops = -vt / (ratio * tt + tn) if (ratio * tt + tn) * vt < 0.0 else math.inf
        lands = -vn / (ratio * tn + nn) if ratio * tn + nn > 0.0 else math.inf
        normal = min(stops, lands)
        along = ratio * normal
        slips = lands <= stops
        vt, vn = vt + tt * along + tn * normal, vn + tn * along + nn * normal
    if not slips:  # it has stopped: it sticks for the rest of the impact, or slides back
        ratio = -tn / tt
        slips = abs(ratio) > mu
        if slips:
            ratio = math.copysign(mu, ratio)
        more = -vn / (ratio * tn + nn)
        if mu == math.inf:
            along = -vt / tt  # at no normal impulse
            more = -(vn + tn * along) / (ratio * tn + nn)
        along += ratio * more
        normal += more
    da1 = (jx * along + jy * normal) / free
    return dq1 + da1, dx + (along - k.h12 * da1) / k.m, dy + (normal - k.h13 * da1) / k.m, along, normal, slips
