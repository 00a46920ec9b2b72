"""One step of the hybrid model, and up to the switch that lies in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from crawler_models.bolt.compiled.continuous_law import torque
from crawler_models.bolt.compiled.rigid import FLIGHT, SLIP, STICK, accelerate
from crawler_models.bolt.compiled.spf import reduce

# the state: q1, x_b, y_b, their rates, q2 to q5; then work of the motor (J), way (m) and work (J) of the sliding foot
STATES, WORK, SLID, RUBBED = 13, 10, 11, 12
SWITCH_HALVINGS = 45  # of a step, to find a switch in it


class FootContact(NamedTuple):
    """Contact state of the foot."""

    mode: np.int64  # FLIGHT, STICK or SLIP
    mu: float
    way: float  # 1 or -1: along x, of a sliding foot
    anchor: float  # m, x of a sticking foot


class Instant(NamedTuple):
    """Quantities at a state that its derivative does not contain."""

    tau: float  # N m
    bound: int  # of tau, as `torque` says it
    F_T: float  # N
    F_N: float
    inertia: float  # kg m², what the crank feels
    height: float  # m, of the foot
    slides: float  # m/s, its velocity along x
    rises: float  # m/s, and along y
    starts: float  # m/s², its acceleration along x
    lifts: float  # m/s², and along y


@njit(cache=True, error_model="numpy")
def evaluate(n, law, phase, contact, eps, t, y, dy):
    """Put the body where a touching foot has it, and write the state's derivative into `dy`; returns the `Instant`."""
    mode = contact.mode
    k = reduce(n, y[0], y[6], y[7], y[8], y[9], y[3])
    if mode != FLIGHT:
        y[2], y[5] = -k.fy, -k.fy1 * y[3]
        if mode == STICK:
            y[1], y[4] = contact.anchor - k.fx, -k.fx1 * y[3]
    tau, _, bound = torque(law, phase, t, y[0], y[3])
    pull = -contact.mu * contact.way if mode == SLIP else 0.0
    a1, ax, ay, F_T, F_N, inertia = accelerate(k, mode, pull, tau)
    slides = y[4] + k.fx1 * y[3]
    dy[0], dy[1], dy[2], dy[3], dy[4], dy[5] = y[3], y[4], y[5], a1, ax, ay
    dy[6], dy[7] = k.u2 * y[3] - k.e2 / eps, k.u3 * y[3] - k.e3 / eps  # (17)
    dy[8], dy[9] = k.u4 * y[3] - k.e4 / eps, k.u5 * y[3] - k.e5 / eps
    dy[WORK] = tau * y[3]
    dy[SLID] = abs(slides) if mode == SLIP else 0.0
    dy[RUBBED] = -F_T * slides if mode == SLIP else 0.0
    starts, lifts = ax + k.fx2 + k.fx1 * a1, ay + k.fy2 + k.fy1 * a1
    return Instant(tau, bound, F_T, F_N, inertia, y[2] + k.fy, slides, y[5] + k.fy1 * y[3], starts, lifts)


@njit(cache=True, error_model="numpy")
def advance(n, law, phase, contact, eps, t, y, dy, h, to, dto, work):
    """One step of Runge and Kutta's from (y, dy) to (to, dto); returns the `Instant` at its end."""
    k2, k3, k4 = work[0], work[1], work[2]
    for i in range(STATES):
        to[i] = y[i] + 0.5 * h * dy[i]
    evaluate(n, law, phase, contact, eps, t + 0.5 * h, to, k2)
    for i in range(STATES):
        to[i] = y[i] + 0.5 * h * k2[i]
    evaluate(n, law, phase, contact, eps, t + 0.5 * h, to, k3)
    for i in range(STATES):
        to[i] = y[i] + h * k3[i]
    evaluate(n, law, phase, contact, eps, t + h, to, k4)
    for i in range(STATES):
        to[i] = y[i] + h / 6.0 * (dy[i] + 2.0 * (k2[i] + k3[i]) + k4[i])
    return evaluate(n, law, phase, contact, eps, t + h, to, dto)


@njit(cache=True, error_model="numpy")
def holds(now, phase, contact, q1, cut):
    """Return True if nothing has switched: the foot's mode agrees with its guards, the crank has passed no mark."""
    if q1 <= cut or q1 <= phase.until:
        return False
    if contact.mode == FLIGHT:
        return now.height > 0.0 or now.rises > 0.0
    if contact.mode == STICK:
        return now.F_N > 0.0 and abs(now.F_T) <= contact.mu * now.F_N
    return now.F_N > 0.0 and now.inertia > 0.0 and now.slides * contact.way > 0.0


@njit(cache=True, error_model="numpy")
def to_switch(n, law, phase, contact, eps, t, y, dy, h, to, dto, work, cut, bound, seek):
    """A step of `h`, or less of it: up to the first switch or, if they are sought, to where tau reaches a bound.

    Returns (its length, the `Instant` at its end, whether it ends with a switch).
    """
    low, high = 0.0, h
    for halving in range(SWITCH_HALVINGS + 2):
        if halving > 0:
            h = 0.5 * (low + high) if halving <= SWITCH_HALVINGS else high
        now = advance(n, law, phase, contact, eps, t, y, dy, h, to, dto, work)
        switched = not holds(now, phase, contact, to[0], cut)
        if switched or (seek and now.bound != bound):
            high = h
        else:
            low = h
        if halving == 0 and low == h:
            break
    return h, now, switched
