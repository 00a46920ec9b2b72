"""Let time pass, in steps as long as the tolerance allows, and take samples."""

from __future__ import annotations

import math

import numba
import numpy as np

from crawler_models.miniaq.compiled.equations import CRANK, RATE, STATES, V, Z, rates
from crawler_models.miniaq.compiled.jacobian import jacobian
from crawler_models.miniaq.compiled.rodas import STAGE_COUNT, between, step

FINE, TIPPED, LIES, LOST = 0, 1, 2, 3  # how it ended
MAX_TILT_RAD = math.radians(60.0)  # rad of roll or pitch: beyond, it has tipped over
# what an error of 1 is measured by: m, rad and rad of a crank; m/s, rad/s and rad/s of a crank
STATE_SCALES = (0.01, 0.1, 1.0, 0.1, 5.0, 10.0)
MAX_CRANK_STEP_RAD = (
    0.1  # rad that a crank turns in a step, at most: a foot in the air gives no sign that it is about to touch
)
MIN_CRANK_SPEED_RAD_S = 10.0  # rad/s, for cranks slower than that
MIN_STEP_S = 1e-13  # s
LOAD_COLUMNS = 13  # of the feet, x y z each, along the world's axes (N); the power of the cranks (W)


@numba.njit(cache=True, error_model="numpy")
def loads(n, y, effort, dy, force, out):
    """The rates and the `LOAD_COLUMNS` at a state."""
    rates(n, y, effort, dy, force)
    s_f, c_f, s_t, c_t = math.sin(y[3]), math.cos(y[3]), math.sin(y[4]), math.cos(y[4])
    s_p, c_p = math.sin(y[5]), math.cos(y[5])
    out[12] = 0.0
    for j in range(4):
        x, yy, z = force[j, 0], force[j, 1], force[j, 2]
        out[3 * j] = c_t * c_p * x + (s_t * s_f * c_p - s_p * c_f) * yy + (s_t * c_f * c_p + s_p * s_f) * z
        out[3 * j + 1] = c_t * s_p * x + (s_t * s_f * s_p + c_p * c_f) * yy + (s_t * c_f * s_p - c_p * s_f) * z
        out[3 * j + 2] = -s_t * x + c_t * s_f * yy + c_t * c_f * z
        out[12] -= force[j, 3] * y[RATE + j]


@numba.njit(cache=True, error_model="numpy")
def march(n, y, effort, every, h, tolerance, states, forces):
    """Sample the state, and the mean loads over the interval that ends at each sample; y becomes the last state.

    `h` (s) is tried first. Returns (how it ended, the samples taken, the step to be tried next, the steps taken).
    """
    dy, other, to, at = np.empty(STATES), np.empty(STATES), np.empty(STATES), np.empty(STATES)
    J, W, U = np.empty((STATES, STATES)), np.empty((STATES, STATES)), np.empty((STAGE_COUNT, STATES))
    force = np.empty((4, 4))
    first, middle, last, impulse = (
        np.empty(LOAD_COLUMNS),
        np.empty(LOAD_COLUMNS),
        np.empty(LOAD_COLUMNS),
        np.zeros(LOAD_COLUMNS),
    )
    weights = np.empty(STATES)
    for i in range(STATES):
        kind = 0 if i < 3 else 1 if i < CRANK else 2 if i < V else 3 if i < V + 3 else 4 if i < RATE else 5
        weights[i] = 1.0 / (tolerance * STATE_SCALES[kind])
    samples, taken, steps = len(states), 0, 0
    t = 0.0  # s, of the state y since the last sample
    loads(n, y, effort, dy, force, first)
    while taken < samples:
        fastest = MIN_CRANK_SPEED_RAD_S
        for j in range(4):
            fastest = max(fastest, abs(y[RATE + j]))
        h = wanted = min(h, MAX_CRANK_STEP_RAD / fastest)
        if taken == samples - 1 and t + h > every * (1.0 - 1e-9):
            h = every - t
        else:
            wanted = 0.0
        jacobian(n, y, J)
        while True:
            step(n, y, effort, J, dy, h, U, to, W, force)
            error = 0.0
            for i in range(STATES):
                error += (U[5, i] * weights[i]) ** 2
            error = math.sqrt(error / STATES)
            if error <= 1.0:
                break
            h = h * max(0.2, 0.9 / math.sqrt(math.sqrt(error))) if math.isfinite(error) else 0.1 * h
            if h < MIN_STEP_S:
                return LOST, taken, h, steps
            wanted = 0.0
        steps += 1
        if not (abs(to[3]) < MAX_TILT_RAD and abs(to[4]) < MAX_TILT_RAD):
            return TIPPED, taken, h, steps
        s_f, c_f, s_t, c_t = math.sin(to[3]), math.cos(to[3]), math.sin(to[4]), math.cos(to[4])
        if to[Z] < abs(s_t) * n.half[0] + abs(c_t * s_f) * n.half[1] + abs(c_t * c_f) * n.half[2]:
            return LIES, taken, h, steps
        # samples within the step, and the impulse by Simpson's rule
        done = 0.0
        while taken < samples and done < h:
            end = min(every - t, h)
            whole = end >= every - t - 1e-9 * every
            between(y, to, U, 0.5 * (done + end) / h, at)
            loads(n, at, effort, other, force, middle)
            between(y, to, U, end / h, at)
            loads(n, at, effort, dy, force, last)  # where the step ends, the next begins
            for i in range(LOAD_COLUMNS):
                impulse[i] += (end - done) / 6.0 * (first[i] + 4.0 * middle[i] + last[i])
                first[i] = last[i]
            done = end
            if whole:
                states[taken] = at
                for i in range(LOAD_COLUMNS):
                    forces[taken, i] = impulse[i] / every
                    impulse[i] = 0.0
                taken += 1
                t -= every
        t += h
        y[:] = to
        h = max(wanted, h * min(5.0, 0.9 / math.sqrt(math.sqrt(max(error, 1e-8)))))
    return FINE, taken, h, steps
