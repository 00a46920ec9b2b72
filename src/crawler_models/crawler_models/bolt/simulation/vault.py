"""Speed limit of a rigid foot that does not slip.

In a stance without slip the leg has one degree of freedom, the crank, and the body goes the foot's path in its frame
backward: up a hill and down again. On the hill gravity must supply what the curve takes, so at `vault_speed` the foot
bears nothing, and friction, mu times what it bears, cannot push. The body leaves the ground before the hilltop, with no
more upward velocity than the slope gives it, so its flight is short; and meanwhile the crank must come round.
`fastest` is the fastest stride that all this allows: a better law cannot beat it. Its landing loses what the inelastic
impact (18) takes. The spring of the real foot gives the body its flight instead, and bears its weight meanwhile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import differential_evolution

from crawler_core.types import FloatArray
from crawler_models.bolt.compiled.reduced import pack
from crawler_models.bolt.compiled.vault import stride
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import pins

STANCE_PIECES = 100  # of a stance
INFEASIBLE_PENALTY_M_S = 20.0  # m/s that a stride loses for what it cannot be


@dataclass(frozen=True)
class Vault:
    """A stride over a rigid foot that sticks; radians and SI units."""

    touch_down: float  # the crank's angle
    stance: float  # the crank's turn in stance
    landing_rate: float  # rad/s, the crank's just before the impact
    push: float  # share of what friction, gravity and the motor allow to accelerate the crank
    speed: float  # m/s, mean of the stride
    stance_time: float  # s
    flight_time: float  # s
    wrong: float  # above 0: something does not hold

    @property
    def crank_rate(self) -> float:
        """The mean rate (rad/s) at which the crank must come round in flight."""
        return (2.0 * math.pi - self.stance) / self.flight_time if self.flight_time > 0.0 else math.inf


def vault_speed(leg: Leg, crank: FloatArray) -> FloatArray:
    """The steady speed (m/s) of a body over a pinned foot at which the foot bears nothing, at the crank's angles (rad).

    Infinite where the path is a hollow.
    """
    h = 1e-4  # rad
    before, at, after = (pins(leg, crank + d).F for d in (-h, 0.0, h))
    first, second = (after - before) / (2.0 * h), (after - 2.0 * at + before) / h**2
    curvature = (second.imag * first.real - second.real * first.imag) / first.real**3
    return np.where(curvature > 0.0, np.sqrt(leg.g / np.maximum(curvature, 1e-12)), math.inf)


def vault(
    leg: Leg,
    touch_down: float,
    stance: float,
    landing_rate: float,
    push: float = 1.0,
    *,
    torque: float = 120.0,
    power: float = 1350.0,
) -> Vault:
    """One such stride, repeated; `torque` (N m) and `power` (W) are the motor's most."""
    packed = pack(leg)
    speed, on, off, _, wrong = stride(
        packed, touch_down, touch_down - stance, landing_rate, push, torque, power, STANCE_PIECES
    )
    return Vault(touch_down, stance, landing_rate, push, speed, on, off, wrong)


def fastest(leg: Leg, crank_rate: float, seed: int = 1, *, torque: float = 120.0, power: float = 1350.0) -> Vault:
    """The fastest stride whose crank comes round in flight at no more than `crank_rate` (rad/s) in the mean."""
    packed = pack(leg)

    def cost(x: FloatArray) -> float:
        speed, _, off, _, wrong = stride(packed, x[0], x[0] - x[1], x[2], x[3], torque, power, STANCE_PIECES)
        late = max(0.0, (2.0 * math.pi - x[1]) / crank_rate - off)  # s that the flight is too short
        found = INFEASIBLE_PENALTY_M_S * (wrong + late) - min(speed, 5.0)
        return found if math.isfinite(found) else 1e3

    low, high = math.radians(5.0), math.radians(200.0)
    bounds = [(math.radians(150.0), math.radians(360.0)), (low, high), (-crank_rate, 0.0), (0.0, 1.0)]
    best = differential_evolution(cost, bounds, seed=seed, maxiter=400, popsize=20, tol=1e-8, polish=False).x
    return vault(leg, *best.tolist(), torque=torque, power=power)
