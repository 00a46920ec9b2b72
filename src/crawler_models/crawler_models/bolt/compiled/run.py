"""A whole run of the hybrid model, from switch to switch: the loop of `crawler_models.bolt.simulation.hybrid_run`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from crawler_models.bolt.compiled.continuous_law import TURN_RAD, after_ramp, ahead, begin, torque
from crawler_models.bolt.compiled.matrices import angles, constraints
from crawler_models.bolt.compiled.rigid import FLIGHT, SLIP, STICK, impact, kinetic
from crawler_models.bolt.compiled.spf import reduce
from crawler_models.bolt.compiled.stepping import RUBBED, SLID, STATES, WORK, FootContact, evaluate, to_switch

# a row of the record: time, the first ten of the state, and from here on
DZ, FOOT, REFERENCE, TAU, FORCE, MODE, W, COLUMNS = 11, 15, 17, 18, 19, 21, 22, 26
# a row of the strides
PERIOD, LENGTH, FRICTION, HIGHEST, IMPULSE, SLIDE = range(6)
TORQUE, POWER, BACKWARD, MOTOR, IMPACT_LOSS, SLIP_LOSS, MEASURES = range(6, 13)

FINE, STALLED, FALLEN, ENDLESS, PARADOX, BROKEN = range(6)  # why a run ended
MANY_SWITCHES = 200  # in a stride; one that runs has two to ten
MANY_BENDS = 400  # times in a stride that tau reaches or leaves a bound; more are not sought
STIFF, LEAST = 1.0, 0.02  # a step is at most so many time constants of the damper on the crank; and least, of the given
LIGHT_LOAD_SHARE = 0.25  # of the weight: a foot that bears less is leaving, and slides some micrometres at most


@njit(cache=True, error_model="numpy")
def record(rows, count, n, law, phase, mode, t, y, now):
    """Append a row; returns the rows, which may have moved, and their count."""
    if count == rows.shape[0]:
        more = np.empty((2 * count, COLUMNS))
        for i in range(count):
            for j in range(COLUMNS):
                more[i, j] = rows[i, j]
        rows = more
    row = rows[count]
    row[0] = t
    for i in range(WORK):
        row[1 + i] = y[i]
    k = reduce(n, y[0], y[6], y[7], y[8], y[9], y[3])
    row[DZ], row[DZ + 1], row[DZ + 2], row[DZ + 3] = k.u2 * y[3], k.u3 * y[3], k.u4 * y[3], k.u5 * y[3]
    row[FOOT], row[FOOT + 1] = y[1] + k.fx, y[2] + k.fy
    row[TAU], row[REFERENCE], _ = torque(law, phase, t, y[0], y[3])
    row[FORCE], row[FORCE + 1] = now.F_T, now.F_N
    row[MODE] = mode
    row[W], row[W + 1], row[W + 2], row[W + 3] = constraints(n, angles(y[0], y[6], y[7], y[8], y[9]))
    return rows, count + 1


@njit(cache=True, error_model="numpy")
def ask(stride, mode, now, rate, light):
    """Update the stride's peak loads on motor and ground with one instant."""
    stride[TORQUE] = max(stride[TORQUE], abs(now.tau))
    stride[POWER] = max(stride[POWER], abs(now.tau * rate))
    stride[BACKWARD] = max(stride[BACKWARD], rate)
    if mode == STICK and now.F_N > 0.0:
        stride[HIGHEST] = max(stride[HIGHEST], abs(now.F_T) / now.F_N)
        if light < now.F_N:
            stride[FRICTION] = max(stride[FRICTION], abs(now.F_T) / now.F_N)


@njit(cache=True, error_model="numpy")
def land(n, mu, y):
    """Touch-down: changes the velocities; returns (the contact, energy lost in J, |tangential| / normal impulse)."""
    k = reduce(n, y[0], y[6], y[7], y[8], y[9], y[3])
    before = kinetic(k, y[3], y[4], y[5])
    y[3], y[4], y[5], along, normal, slips = impact(k, mu, y[3], y[4], y[5])
    ratio = abs(along) / normal if normal > 0.0 else math.inf
    way = math.copysign(1.0, y[4] + k.fx1 * y[3])
    contact = FootContact(SLIP if slips else STICK, mu, way, y[1] + k.fx)
    return contact, before - kinetic(k, y[3], y[4], y[5]), ratio


@njit(cache=True, error_model="numpy")
def settle(n, law, phase, contact, eps, t, y, dy, now):
    """Return the state of a foot that has just touched the ground: (phase, contact, `Instant`)."""
    mu, flying = contact.mu, FootContact(FLIGHT, contact.mu, 1.0, 0.0)
    if y[0] <= phase.until:  # the phase angle
        phase = begin(law, False, t, y[0])
        free = evaluate(n, law, phase, flying, eps, t, y, dy)
        if free.lifts > 0.0:
            return phase, flying, free
    if contact.mode == SLIP and now.slides * contact.way <= 0.0:  # it has stopped
        k = reduce(n, y[0], y[6], y[7], y[8], y[9], y[3])
        contact = FootContact(STICK, mu, 1.0, y[1] + k.fx)
    now = evaluate(n, law, phase, contact, eps, t, y, dy)
    if now.F_N > 0.0 and (contact.mode == SLIP or abs(now.F_T) <= mu * now.F_N):
        return phase, contact, now
    if contact.mode == STICK and mu < math.inf:  # it slides whichever way it then starts
        for way in (1.0, -1.0):
            sliding = FootContact(SLIP, mu, way, 0.0)
            now = evaluate(n, law, phase, sliding, eps, t, y, dy)
            if now.F_N > 0.0 and now.inertia > 0.0 and now.starts * way >= 0.0:
                return phase, sliding, now
    elif now.inertia <= 0.0:
        return phase, contact, now
    if phase.stance:
        phase = begin(law, False, t, y[0])
    return phase, flying, evaluate(n, law, phase, flying, eps, t, y, dy)


@njit(cache=True, error_model="numpy")
def simulate(n, law, mu, eps, step, interval, patience, strides, start):
    """Run from `start`: returns (rows, how many, strides, how many, why it ended, time and state at the end)."""
    y, to, dy, dto, work = start, np.empty(STATES), np.empty(STATES), np.empty(STATES), np.empty((3, STATES))
    rows, count = np.empty((1024, COLUMNS)), np.int64(0)
    table, done = np.zeros((strides, MEASURES)), 0
    t, begun, from_x, due = 0.0, 0.0, y[1], 0.0
    phase, contact = begin(law, False, 0.0, y[0]), FootContact(FLIGHT, mu, 1.0, 0.0)
    cut = ahead(y[0] - 1e-9, law.lift_off)  # a start at the mark is past it
    light = LIGHT_LOAD_SHARE * n.m * n.g
    switches, bends, why = 0, 0, FINE
    now = evaluate(n, law, phase, contact, eps, t, y, dy)
    rows, count = record(rows, count, n, law, phase, contact.mode, t, y, now)
    while done < strides:
        bound, seek = now.bound, bends < MANY_BENDS
        h = min(step, max(STIFF / law.damping * now.inertia, LEAST * step), due + interval - t, phase.ends - t)
        h, now, switched = to_switch(n, law, phase, contact, eps, t, y, dy, h, to, dto, work, cut, bound, seek)
        if now.bound != bound:
            bends += 1
        t += h
        y, to, dy, dto = to, y, dto, dy
        if not (math.isfinite(y[3]) and math.isfinite(y[9])):
            why = BROKEN
            break
        if not switched and t >= phase.ends:
            phase = after_ramp(law, phase)
            now = evaluate(n, law, phase, contact, eps, t, y, dy)
        ask(table[done], contact.mode, now, y[3], light)
        if switched or t >= due + interval * (1.0 - 1e-9):
            rows, count = record(rows, count, n, law, phase, contact.mode, t, y, now)
            due = t
        if y[2] <= 0.0 or y[2] + n.A_y + n.l_4 * math.sin(y[8]) <= 0.0:
            why = FALLEN
        elif t - begun > patience:
            why = STALLED
        elif switched:
            switches += 1
            if switches > MANY_SWITCHES:
                why = ENDLESS
        if why != FINE:
            break
        if not switched:
            continue

        if y[0] <= cut:
            stride = table[done]
            stride[PERIOD], stride[LENGTH] = t - begun, y[1] - from_x
            stride[MOTOR], stride[SLIDE], stride[SLIP_LOSS] = y[WORK], y[SLID], y[RUBBED]
            y[WORK] = y[SLID] = y[RUBBED] = 0.0
            begun, from_x, switches, bends = t, y[1], 0, 0
            cut -= TURN_RAD
            done += 1
        if contact.mode == FLIGHT:
            if now.height > 0.0 or now.rises > 0.0:
                continue
            contact, lost, ratio = land(n, mu, y)
            if not math.isfinite(y[3]):
                why = PARADOX
                break
            stride = table[min(done, strides - 1)]
            stride[IMPACT_LOSS] += lost
            stride[IMPULSE] = max(stride[IMPULSE], ratio)
            phase = begin(law, True, t, y[0])
            now = evaluate(n, law, phase, contact, eps, t, y, dy)
            rows, count = record(rows, count, n, law, phase, contact.mode, t, y, now)
        was = contact.mode
        phase, contact, now = settle(n, law, phase, contact, eps, t, y, dy, now)
        if now.inertia <= 0.0:
            why = PARADOX
            break
        if contact.mode != was:
            rows, count = record(rows, count, n, law, phase, contact.mode, t, y, now)
    return rows, count, table, done, why, t, y
