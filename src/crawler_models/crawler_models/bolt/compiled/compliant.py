"""The foot on the ground: a unilateral spring and damper, or rigid, and Coulomb's friction.

Along the ground the foot sticks rigidly or slips; where it sticks, friction is what that takes. Force N on the foot is
upward and never pulls, force T is forward. `k` = 0 makes the foot rigid: it lands with an inelastic impact. A foot that
is not on the ground is OPEN; one that slips has the sign of its velocity as its mode.
"""

from __future__ import annotations

import math

import numba

from crawler_models.bolt.compiled.reduced import reduced

SLIP_NEG, STICK, SLIP_POS, OPEN = -1, 0, 1, 2
NOTHING, TOUCHES, LEAVES, BREAKS, STOPS = 0, 1, 2, 3, 4  # what ends a mode
LANDING_SPEED_M_S = 1e-9  # m/s: a rigid foot that sinks no faster does not land
REVERSAL_SPEED_M_S = 1e-8  # m/s: a slipping foot has turned round; rounding while it stuck is below


@numba.njit(cache=True, error_model="numpy")
def forces(leg, mode, c, v, q1, w, tau):
    """T, N, the crank's acceleration, the foot's position and its velocity."""
    J, dJ, r, dr, ddr = reduced(leg, q1)
    foot, moving = c + r, v + w * dr
    free = (tau - 0.5 * dJ * w * w) / J  # the crank's acceleration without a force on the foot
    if mode == OPEN:
        return 0.0, 0.0, free, foot, moving
    # the foot's acceleration is a + W F
    a = complex(0.0, -leg[24]) + dr * free + ddr * (w * w)
    per_mass = 1.0 / leg[23]
    w_tt, w_tn, w_nn = per_mass + dr.real**2 / J, dr.real * dr.imag / J, per_mass + dr.imag**2 / J
    mu, k = leg[25], leg[26]
    if k > 0.0:
        N = max(0.0, -k * foot.imag - leg[27] * moving.imag)
        T = -(a.real + w_tn * N) / w_tt if mode == STICK else -mode * mu * N
    elif mode == STICK:
        determinant = w_tt * w_nn - w_tn * w_tn
        T, N = (w_tn * a.imag - w_nn * a.real) / determinant, (w_tn * a.real - w_tt * a.imag) / determinant
    else:
        N = -a.imag / (w_nn - mode * mu * w_tn)
        T = -mode * mu * N
    return T, N, free + (dr.real * T + dr.imag * N) / J, foot, moving


@numba.njit(cache=True, error_model="numpy")
def slope(leg, mode, c, v, q1, w, tau):
    """The accelerations of the centre of mass and of the crank."""
    T, N, dw, _, _ = forces(leg, mode, c, v, q1, w, tau)
    return complex(T / leg[23], N / leg[23] - leg[24]), dw


@numba.njit(cache=True, error_model="numpy")
def step(leg, mode, c, v, q1, w, tau, h):
    """Runge and Kutta's step of length h in one mode; a foot that sticks keeps no velocity from rounding."""
    a1, b1 = slope(leg, mode, c, v, q1, w, tau)
    v2, w2 = v + 0.5 * h * a1, w + 0.5 * h * b1
    a2, b2 = slope(leg, mode, c + 0.5 * h * v, v2, q1 + 0.5 * h * w, w2, tau)
    v3, w3 = v + 0.5 * h * a2, w + 0.5 * h * b2
    a3, b3 = slope(leg, mode, c + 0.5 * h * v2, v3, q1 + 0.5 * h * w2, w3, tau)
    v4, w4 = v + h * a3, w + h * b3
    a4, b4 = slope(leg, mode, c + h * v3, v4, q1 + h * w3, w4, tau)
    c += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
    q1 += h / 6.0 * (w + 2.0 * w2 + 2.0 * w3 + w4)
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    w += h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
    if mode == STICK:
        dr = reduced(leg, q1)[3]
        v = complex(-w * dr.real, v.imag if leg[26] > 0.0 else -w * dr.imag)
    return c, v, q1, w


@numba.njit(cache=True, error_model="numpy")
def ends(leg, mode, c, v, q1, w, tau):
    """Return the event that ends the mode in this state, if there is one."""
    T, N, _, foot, moving = forces(leg, mode, c, v, q1, w, tau)
    if mode == OPEN:
        if foot.imag >= 0.0:
            return NOTHING
        if leg[26] > 0.0:
            return TOUCHES if -leg[26] * foot.imag - leg[27] * moving.imag > 0.0 else NOTHING
        return TOUCHES if moving.imag < -LANDING_SPEED_M_S else NOTHING
    if N <= 0.0:
        return LEAVES
    if mode == STICK:
        return BREAKS if abs(T) > leg[25] * N else NOTHING
    return STOPS if mode * moving.real < -REVERSAL_SPEED_M_S else NOTHING


@numba.njit(cache=True, error_model="numpy")
def after(leg, event, mode, c, v, q1, w, tau):
    """The mode after an event, and the velocities, which a rigid foot's impact changes."""
    if event == LEAVES:
        return OPEN, v, w
    if event == TOUCHES and leg[26] == 0.0:
        v, w = impact(leg, v, q1, w)
    T, N, _, _, moving = forces(leg, STICK, c, v, q1, w, tau)
    if event == TOUCHES and abs(moving.real) > REVERSAL_SPEED_M_S:
        return int(math.copysign(1.0, moving.real)), v, w
    if event != BREAKS and abs(T) <= leg[25] * N:
        return STICK, v, w
    return (SLIP_NEG if T > 0.0 else SLIP_POS), v, w  # it gives way to what would have held it


@numba.njit(cache=True, error_model="numpy")
def impact(leg, v, q1, w):
    """Velocities after the inelastic impact of a rigid foot: (18), and where friction is not enough it slips in it.

    Routh's way: the normal impulse grows until the foot no longer sinks; the foot slips until its slip is used up.
    """
    J, _, _, dr, _ = reduced(leg, q1)
    moving = v + w * dr
    per_mass = 1.0 / leg[23]
    w_tt, w_tn, w_nn = per_mass + dr.real**2 / J, dr.real * dr.imag / J, per_mass + dr.imag**2 / J
    sign, mu = math.copysign(1.0, moving.real), leg[25]
    # per normal impulse while it slips: the slip changes by `along`, the sinking by `up`
    along, up = w_tn - sign * mu * w_tt, w_nn - sign * mu * w_tn
    until_rest = -moving.real / along if sign * along < 0.0 else math.inf
    if moving.real == 0.0:
        until_rest = 0.0
    normal = -moving.imag / up if up > 0.0 else math.inf
    if normal > until_rest:
        remaining = -(moving.imag + until_rest * up)  # the sinking that is left once the slip is used up
        ratio = -w_tn / w_tt
        if abs(ratio) > mu:
            ratio = math.copysign(mu, ratio)
        further = remaining / (w_nn + ratio * w_tn)
        normal, tangential = until_rest + further, -sign * mu * until_rest + ratio * further
    else:
        tangential = -sign * mu * normal
    return v + per_mass * complex(tangential, normal), w + (dr.real * tangential + dr.imag * normal) / J
