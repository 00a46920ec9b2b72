"""The stride map at touch-down and its multipliers: how a run that was disturbed comes back.

At touch-down the law forgets what was: its reference starts from the crank's angle. So with the foot on the ground
four numbers are the whole state: the body's velocity, and the crank's angle and rate. A multiplier of size below 1
belongs to a disturbance that dies out.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crawler_core.types import FloatArray
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.simulation.running import RunningParameters
from crawler_models.bolt.simulation.sampled_run import SampledRun, Start, simulate_sampled

ComplexArray = NDArray[np.complex128]
STATE_NAMES = ("vx", "vy", "crank", "crank_rate")
PERTURBATION = np.array([5e-3, 5e-3, 5e-3, 5e-2])  # m/s, m/s, rad, rad/s: how far from the run the map is tried
FINE_TICK = 1e-4  # s: under a law sampled at 1 kHz the map has jumps, of which this leaves a tenth


def next_touch_down(
    leg: Leg, law: RunningParameters, state: FloatArray, torque: float, power: float, tick: float = FINE_TICK
) -> FloatArray:
    """The state at the next touch-down from that at one; NaN where none comes. The crank's turn is taken off."""
    vx, vy, crank, rate = state.tolist()
    start = Start(crank, rate, 0.0, vx, vy)
    run = simulate_sampled(leg, law, start, strides=2, torque=torque, power=power, tick=tick, steps=1)
    if len(run.strides) < 2:
        return np.full(4, math.nan)
    after = np.array([run.column(name)[1] for name in STATE_NAMES])
    after[2] += 2.0 * math.pi * round((crank - after[2]) / (2.0 * math.pi))
    return after


def multipliers(
    leg: Leg, law: RunningParameters, run: SampledRun, torque: float = 120.0, power: float = 1350.0, settle: int = 16
) -> ComplexArray:
    """The four multipliers, the largest first, about the steady run that `run` has come near; NaN without one."""
    steady = np.array([run.column(name)[-1] for name in STATE_NAMES])
    for _ in range(settle):
        steady = next_touch_down(leg, law, steady, torque, power)
    slopes = np.empty((4, 4))
    for i, off in enumerate(np.diag(PERTURBATION)):
        ahead, behind = (next_touch_down(leg, law, steady + s * off, torque, power) for s in (1.0, -1.0))
        slopes[:, i] = (ahead - behind) / (2.0 * PERTURBATION[i])
    if not np.isfinite(slopes).all():
        return np.full(4, complex(math.nan))
    found = np.linalg.eigvals(slopes).astype(complex)
    return found[np.argsort(-np.abs(found))]
