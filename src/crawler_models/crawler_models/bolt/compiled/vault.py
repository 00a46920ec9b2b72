"""A stride over a rigid foot that never slips: the fastest that the floor, the motor and gravity let it be."""

from __future__ import annotations

import math

import numba

from crawler_models.bolt.compiled.reduced import dot, reduced

MAX_CYCLES = 60  # until the rate at touch-down repeats itself
SLOWEST, FASTEST = 1.0, 100.0  # rad/s of the crank in stance


@numba.njit(cache=True, error_model="numpy")
def push_range(leg, q1, square, torque, power):
    """The least and the greatest q1'' at (q1')^2 that N >= 0, |T| <= mu N and the motor allow to a pinned foot.

    They follow from c = foot - r: T and N are linear in q1'', and so is tau.
    """
    mass, g, mu = leg[23], leg[24], leg[25]
    J, dJ, _, dr, ddr = reduced(leg, q1)
    most = min(torque, power / math.sqrt(square))
    per_T, T = -mass * dr.real, -mass * ddr.real * square
    per_N, N = -mass * dr.imag, mass * (g - ddr.imag * square)
    per_tau, tau = J + mass * dot(dr, dr), 0.5 * dJ * square - mass * g * dr.imag + mass * dot(dr, ddr) * square
    low, high = -1e9, 1e9
    for kind in range(5):  # each an inequality: slope q1'' + at >= 0
        if kind == 0:
            slope, at = per_N, N
        elif kind == 1:
            slope, at = mu * per_N + per_T, mu * N + T
        elif kind == 2:
            slope, at = mu * per_N - per_T, mu * N - T
        elif kind == 3:
            slope, at = per_tau, most + tau
        else:
            slope, at = -per_tau, most - tau
        if slope > 0.0:
            low = max(low, -at / slope)
        elif slope < 0.0:
            high = min(high, -at / slope)
    return low, high


@numba.njit(cache=True, error_model="numpy")
def stride(leg, touch_down, lift_off, landing_rate, push, torque, power, pieces):
    """Speed (m/s), stance and flight (s), the rate after touch-down (rad/s), and by how much it cannot be; 0: it can.

    From touch-down to lift-off (rad) the crank is pushed with the share `push` of what is allowed. Then the body flies
    while the crank comes round, and lands, its crank at landing_rate, with the impact (18).
    """
    mass, g, mu = leg[23], leg[24], leg[25]
    J, _, landing, landing_dr, _ = reduced(leg, touch_down)
    _, _, leaving, leaving_dr, _ = reduced(leg, lift_off)
    dq = (lift_off - touch_down) / pieces
    rate, speed, stance, flight, wrong = -10.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(MAX_CYCLES):
        began, half, stance, wrong = rate, 0.5 * rate * rate, 0.0, 0.0  # half the square of the rate
        for i in range(pieces):
            low, high = push_range(leg, touch_down + (i + 0.5) * dq, 2.0 * half, torque, power)
            if low > high:
                wrong += 0.01 + min(1.0, (low - high) / (1.0 + abs(low)))
            after = half + (high + (low - high) * push) * dq
            if after < 0.5 * SLOWEST**2:
                wrong, after = wrong + 0.05, 0.5 * SLOWEST**2
            stance += 2.0 * abs(dq) / (math.sqrt(2.0 * half) + math.sqrt(2.0 * after))
            half = after
        v = math.sqrt(2.0 * half) * leaving_dr
        fall = v.imag * v.imag + 2.0 * g * (landing.imag - leaving.imag)
        if fall < 0.0:
            return 0.0, stance, 0.0, rate, 10.0
        flight = (v.imag + math.sqrt(fall)) / g
        speed = (landing.real - leaving.real + v.real * flight) / (stance + flight)
        before = complex(v.real, v.imag - g * flight)
        rate = (J * landing_rate - mass * dot(before, landing_dr)) / (J + mass * dot(landing_dr, landing_dr))
        impulse = -rate * landing_dr - before
        if impulse.imag <= 0.0:
            wrong += 1.0
        else:
            wrong += max(0.0, abs(impulse.real) / impulse.imag - mu)
        if rate > -SLOWEST:
            wrong, rate = wrong + 1.0, -SLOWEST
        if not rate > -FASTEST:
            return 0.0, stance, flight, rate, 10.0
        if abs(rate - began) < 1e-9:
            return speed, stance, flight, rate, wrong
    return speed, stance, flight, rate, wrong + 0.1
