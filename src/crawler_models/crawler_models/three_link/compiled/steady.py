"""The steady cycle of many gaits: the fixed point of the period map, by Newton, gait after gait."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from crawler_models.three_link.compiled.cycle import FINE, PAINLEVE, run_cycle
from crawler_models.three_link.compiled.table import D1, EXTRA_ROWS, fill_slips

# columns of the result
STEP, FORCE, MARGIN, UNIQUE, CODE, CYCLES = range(6)  # m, N / omega^2, -, 0 or 1, see below, periods simulated
RESULT_COUNT = 6

# codes beyond those of a cycle
CONTACT_LOST, UNSETTLED = 10, 11

_CONVERGED_M = 1e-10  # m: the velocity's change over a period, times the period
_NEWTON, _PLAIN = 12, 200  # periods


@njit(cache=True, nogil=True, error_model="numpy")
def settle(mass, mu1, mu2, gamma, chain, slips, fastest, out):
    """Find the steady cycle, from rest: where there are several, it is the one that `crawl` finds."""
    u = 0.0
    periods = 0
    for _ in range(_NEWTON):
        v, x, gain, low, thin, unique, code = run_cycle(mass, mu1, mu2, gamma, chain, slips, fastest, u)
        periods += 1
        if code != FINE:
            break
        if abs(v - u) * 2.0 * math.pi < _CONVERGED_M:
            return _write(out, x, low, thin, unique, code, periods)
        if gain < 0.99:
            u += (v - u) / (1.0 - gain)
        else:
            u = v
    # From rest, as `crawl` does it: the map contracts, if slowly.
    u = 0.0
    code = FINE
    for _ in range(_PLAIN):
        v, x, gain, low, thin, unique, code = run_cycle(mass, mu1, mu2, gamma, chain, slips, fastest, u)
        periods += 1
        if code != FINE:
            return _write(out, math.nan, low, thin, False, code, periods)
        if abs(v - u) * 2.0 * math.pi < _CONVERGED_M:
            return _write(out, x, low, thin, unique, code, periods)
        u = v
    return _write(out, math.nan, low, thin, False, UNSETTLED, periods)


@njit(cache=True, nogil=True, error_model="numpy")
def _write(out, x, low, thin, unique, code, periods):
    if code == FINE and thin <= 0.0:
        code = PAINLEVE
    elif code == FINE and low <= 0.0:
        code = CONTACT_LOST
    out[STEP] = -x  # towards foot 1, the direction of travel
    out[FORCE], out[MARGIN] = low, thin
    out[UNIQUE], out[CODE], out[CYCLES] = (1.0 if unique else 0.0), code, periods


@njit(cache=True, nogil=True, error_model="numpy")
def settle_all(mass, chains, which, omega, gravity, mu1, mu2, order, out):
    """Settle the gaits ``order``; each has a chain table, a frequency, and its gravity and frictions.

    Neighbours in ``order`` share the slip tables where chain and frictions are the same, and nothing else: what a gait
    comes to does not depend on who is asked for with it.
    """
    count = chains.shape[1] - EXTRA_ROWS
    slips = np.empty((4, count + 1, 6))
    last_chain, last1, last2 = -1, math.nan, math.nan
    fastest = 0.0
    for g in order:
        w = which[g]
        chain = chains[w]
        if w != last_chain:
            fastest = np.abs(chain[:, D1]).max()
        if w != last_chain or mu1[g] != last1 or mu2[g] != last2:
            fill_slips(mass[w], chain, mu1[g], mu2[g], slips)
            last_chain, last1, last2 = w, mu1[g], mu2[g]
        gamma = gravity[g] / (omega[g] * omega[g])
        settle(mass[w], mu1[g], mu2[g], gamma, chain, slips, fastest, out[g])
