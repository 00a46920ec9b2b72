"""A whole run: the leg under the sampled law, stride by stride."""

from __future__ import annotations

import math

import numba
import numpy as np

from crawler_models.bolt.compiled import advance as interval
from crawler_models.bolt.compiled.compliant import OPEN, STICK
from crawler_models.bolt.compiled.law import MEMORY_WIDTH, REFERENCE, STANCE, torque_of
from crawler_models.bolt.compiled.law import start as start_law
from crawler_models.bolt.compiled.reduced import posture

STUCK, HOVERS = 5, 6  # further ends of a run: the foot does not leave the ground, or does not come back to it
TOUCH_DOWN_TIMEOUT_S = 1.5  # s without a touch-down
MIN_STRIDE_S = 0.1  # s after a touch-down in which another is a bounce of the same stride

# of each stride, from one touch-down to the next; SI units
PERIOD, DISTANCE, SLIP, FRICTION, WORK, CLEARANCE, ON_GROUND, LEAST_VX = range(8)
TORQUE_FLIGHT, TORQUE_STANCE, POWER, SPEED, FORCE, BACKWARD = range(8, 14)  # the greatest; BACKWARD of the crank's rate
VX, VY, ANGLE, RATE = range(14, 18)  # of the body and the crank at its touch-down
FRICTION_USED_COLUMN = 18  # the greatest |F_T| / F_N of a tick's mean forces, where the foot sticks at its end
COLUMN_COUNT = 19  # crawler_models.bolt.simulation.sampled_run names them, and those of the trace
TRACE_WIDTH = 13


@numba.njit(cache=True, error_model="numpy")
def simulate(leg, law, start, tick, steps, rows, trace):
    """Fill `rows`, a stride each, and `trace`, a tick each while there is room. Returns strides, ticks, how it ended.

    `start` is c, c', q1, q1' with the foot in the air. What comes before the first touch-down belongs to no stride.
    """
    state, mode = start.copy(), np.int64(OPEN)
    memory, record = np.zeros(MEMORY_WIDTH), np.zeros(interval.RECORD_WIDTH)
    start_law(law, memory, 0.0, state[4], state[5], False)
    row = np.zeros(COLUMN_COUNT)
    strides, last, last_x = -1, 0.0, 0.0
    k = 0
    while strides < len(rows):
        time, angle, rate = k * tick, state[4], state[5]
        tau = torque_of(law, memory, time, angle, rate, record[interval.IMPULSE_Y] > 0.0)  # the last tick's
        record[interval.SLIP] = record[interval.FRICTION] = record[interval.FASTEST] = 0.0
        mode, ended = interval.advance(leg, state, mode, tau, tick, steps, record)
        if ended != interval.FINE:
            return max(strides, 0), k, ended
        centre, moving, foot, _, _, _ = posture(leg, state[4])
        vx = state[2] - state[5] * moving.real
        if k < len(trace):
            trace[k, 0], trace[k, 1], trace[k, 2] = time + tick, state[0] - centre.real, state[1] - centre.imag
            trace[k, 3], trace[k, 4], trace[k, 5] = vx, state[3] - state[5] * moving.imag, state[4]
            trace[k, 6], trace[k, 7] = state[5], tau
            trace[k, 8], trace[k, 9] = record[interval.IMPULSE_X] / tick, record[interval.IMPULSE_Y] / tick
            trace[k, 10], trace[k, 11], trace[k, 12] = mode, memory[STANCE], memory[REFERENCE]
        k += 1
        row[SLIP] += record[interval.SLIP]
        row[FRICTION] = max(row[FRICTION], record[interval.FRICTION])
        if record[interval.IMPULSE_Y] > 0.0 and record[interval.LAST] == STICK:
            row[FRICTION_USED_COLUMN] = max(
                row[FRICTION_USED_COLUMN], abs(record[interval.IMPULSE_X]) / record[interval.IMPULSE_Y]
            )
        which = TORQUE_STANCE if memory[STANCE] == 1.0 else TORQUE_FLIGHT
        row[which] = max(row[which], abs(tau))
        row[SPEED] = max(row[SPEED], record[interval.FASTEST])
        row[POWER] = max(row[POWER], abs(tau) * record[interval.FASTEST])
        row[LEAST_VX] = min(row[LEAST_VX], vx)
        row[WORK] += max(0.0, tau * (state[4] - angle))
        row[CLEARANCE] = max(row[CLEARANCE], state[1] - centre.imag + foot.imag)
        row[FORCE] = max(row[FORCE], record[interval.IMPULSE_Y] / tick)
        row[BACKWARD] = max(row[BACKWARD], state[5])
        if mode != OPEN:
            row[ON_GROUND] += tick
        if not math.isnan(record[interval.TOUCHED]) and (
            strides < 0 or time + record[interval.TOUCHED] - last > MIN_STRIDE_S
        ):
            now, x = time + record[interval.TOUCHED], record[interval.TOUCH_X]
            if strides >= 0:
                row[PERIOD], row[DISTANCE] = now - last, x - last_x
                for j in range(COLUMN_COUNT):  # numba compiles the copy of a row for seconds
                    rows[strides, j] = row[j]
            strides, last, last_x = strides + 1, now, x
            row.fill(0.0)
            row[LEAST_VX], row[BACKWARD] = math.inf, -math.inf
            row[VX], row[VY] = record[interval.TOUCH_VX], record[interval.TOUCH_VY]
            row[ANGLE], row[RATE] = record[interval.TOUCH_Q], record[interval.TOUCH_W]
        if k * tick - last > TOUCH_DOWN_TIMEOUT_S:
            return max(strides, 0), k, HOVERS if mode == OPEN else STUCK
    return strides, k, interval.FINE
