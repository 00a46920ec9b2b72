"""(15) to (17) for one foot, with their derivatives."""

from __future__ import annotations

import math

import numba


@numba.njit(cache=True, error_model="numpy")
def normal_force(n, depth, rise):
    """F_N (N), dF_N/ddepth and dF_N/drise of a foot that is in the ground (15)."""
    part = min(depth / n.d, 1.0)
    damping, more = n.c_max * part * part * (3.0 - 2.0 * part), n.c_max * 6.0 * part * (1.0 - part) / n.d
    spring = n.K * depth**n.e
    force = spring - damping * rise
    if force < 0.0 and not n.pulls:
        return 0.0, 0.0, 0.0
    return force, spring * n.e / depth - more * rise, -damping


@numba.njit(cache=True, error_model="numpy")
def friction(n, square):
    """mu / V of (17), and its derivative by half the square of the speed, by that square (m²/s²)."""
    if square < n.V_s * n.V_s:  # the middle STEP of (16) is the polynomial -mu_s (3 v - v³) / 2 in v = V / V_s
        v2 = square / (n.V_s * n.V_s)
        return -n.mu_s * (1.5 - 0.5 * v2) / n.V_s, n.mu_s / (n.V_s * n.V_s * n.V_s)
    V = math.sqrt(square)
    if n.V_d > V:
        part = (V - n.V_s) / (n.V_d - n.V_s)
        mu = -n.mu_s + (n.mu_s - n.mu_d) * part * part * (3.0 - 2.0 * part)
        slope = (n.mu_s - n.mu_d) * 6.0 * part * (1.0 - part) / (n.V_d - n.V_s)
        return mu / V, (slope - mu / V) / square
    return -n.mu_d / V, n.mu_d / (V * square)
