"""Let time pass under one torque, from event to event of the foot."""

from __future__ import annotations

import math

import numba

from crawler_models.bolt.compiled.compliant import BREAKS, NOTHING, OPEN, STICK, TOUCHES, after, ends, forces, step
from crawler_models.bolt.compiled.reduced import posture

FINE, OPENS, BURIED, ENDLESS, JAMMED = 0, 1, 2, 3, 4  # how an interval ended
MAX_EVENTS_PER_INTERVAL = 100  # of the foot in one interval, at most
EVENT_HALVINGS = 34  # of a step in which the foot's mode ends: to 1e-10 of it
LIGHT_LOAD_SHARE = 0.25  # of the weight: friction under a foot that bears less is not counted

# what `advance` writes into its record
IMPULSE_X, IMPULSE_Y, LAST, SLIP, FRICTION, FASTEST, TOUCHED, TOUCH_X, TOUCH_VX, TOUCH_VY, TOUCH_Q, TOUCH_W = range(12)
RECORD_WIDTH = 12


@numba.njit(cache=True, error_model="numpy")
def advance(leg, state, mode, tau, dt, steps, record):
    """`dt` seconds in at least `steps` steps: the new mode, and how it ended. `state` is c, c', q1, q1' and changes.

    Writes the impulse on the foot (N s), 0 where it was in the air all the time, and its last mode on the ground. Adds
    to the foot's slip (m), and to the greatest |T| / N while it sticks and crank's speed (rad/s). TOUCHED is when in
    the interval the foot landed (s), NaN where it did not, followed by the body's place and velocity, the crank's angle
    and its rate just then.
    """
    c, v, q1, w = complex(state[0], state[1]), complex(state[2], state[3]), state[4], state[5]
    mass, floor = leg[23], LIGHT_LOAD_SHARE * leg[23] * leg[24]
    record[IMPULSE_X] = record[IMPULSE_Y] = 0.0
    record[TOUCHED] = math.nan
    left, h_full, events = dt, dt / steps, 0
    while left > 0.0:
        h = h_full if left > 1.5 * h_full else left
        c1, v1, q2, w1 = step(leg, mode, c, v, q1, w, tau, h)
        if not math.isfinite(w1):
            return mode, OPENS
        event = ends(leg, mode, c1, v1, q2, w1, tau)
        if event != NOTHING:
            low, high = 0.0, h
            for _ in range(EVENT_HALVINGS):
                middle = 0.5 * (low + high)
                cm, vm, qm, wm = step(leg, mode, c, v, q1, w, tau, middle)
                if ends(leg, mode, cm, vm, qm, wm, tau) == NOTHING:
                    low = middle
                else:
                    high, c1, v1, q2, w1 = middle, cm, vm, qm, wm
            h = high
            event = ends(leg, mode, c1, v1, q2, w1, tau)
        if mode != OPEN:
            _, _, _, was, _ = forces(leg, mode, c, v, q1, w, tau)
            T, N, _, now, _ = forces(leg, mode, c1, v1, q2, w1, tau)
            if mode != STICK:
                record[SLIP] += abs(now.real - was.real)
            elif floor <= N:
                record[FRICTION] = max(record[FRICTION], abs(T) / N)
            record[LAST] = mode
            record[IMPULSE_X] += mass * (v1.real - v.real)
            record[IMPULSE_Y] += mass * (v1.imag - v.imag + leg[24] * h)
        c, v, q1, w = c1, v1, q2, w1
        left = left - h if h < left else 0.0
        record[FASTEST] = max(record[FASTEST], abs(w))
        if event != NOTHING:
            events += 1
            if events > MAX_EVENTS_PER_INTERVAL:
                return mode, ENDLESS
            if event == TOUCHES:
                centre, moving = posture(leg, q1)[:2]
                body = v - w * moving
                record[TOUCHED], record[TOUCH_X] = dt - left, c.real - centre.real
                record[TOUCH_VX], record[TOUCH_VY], record[TOUCH_Q], record[TOUCH_W] = body.real, body.imag, q1, w
            mode, v1, w = after(leg, event, mode, c, v, q1, w, tau)
            record[IMPULSE_X] += mass * (v1.real - v.real)
            record[IMPULSE_Y] += mass * (v1.imag - v.imag)
            v = v1
            if mode != OPEN and mode != STICK and leg[26] == 0.0 and forces(leg, mode, c, v, q1, w, tau)[1] < 0.0:
                if event == BREAKS:
                    return mode, JAMMED
                mode = OPEN
            record[FASTEST] = max(record[FASTEST], abs(w))
    state[0], state[1], state[2], state[3], state[4], state[5] = c.real, c.imag, v.real, v.imag, q1, w
    centre, _, _, lowest, _, _ = posture(leg, q1)
    if c.imag - centre.imag + lowest < 0.0:
        return mode, BURIED
    return mode, FINE
