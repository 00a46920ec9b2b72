"""Experiments as in section V of the paper, by the equations: five cycles, four times.

The servos lag, and their amplitude is calibrated, as the paper's was. Friction is drawn again for every half of a
cycle, as section VI supposes of the real one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler_core.motion import Sample
from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.equations.contact_law import HybridFault
from crawler_models.three_link.simulation.hybrid import SpanTable, State, simulate
from crawler_studies.evaluators.friction_sets import DEFAULT_SPREAD
from gait_generators.kinds.time_scaled import TimeScaled

Array = NDArray[np.float64]

CYCLES, REPEATS = 5, 4
SERVO_LAG_S = 0.02
START_PHASE = 0.5 * math.pi  # omega t at the start: where the feet's distance reverses, so that little is jerked


@dataclass(frozen=True)
class ServoMotion:
    """The joints behind two servos that get (5) from t = 0 on, where they stand at its beginning.

    A servo follows with two equal lags of a first-order system one after the other, `lag` (s) in all, so that it starts
    smoothly. `calibrated`: the commanded amplitude makes up for the servos' loss of it.
    """

    omega: float  # rad/s
    amplitude: float  # rad, wanted
    phi0: float  # rad
    psi: float  # rad
    lag: float = SERVO_LAG_S
    calibrated: bool = True

    @property
    def period(self) -> float:
        return 2.0 * math.pi / self.omega

    @property
    def reached(self) -> float:
        """The joints' amplitude once they have settled, rad."""
        return self.amplitude if self.calibrated else self.amplitude / (1.0 + (0.5 * self.lag * self.omega) ** 2)

    @property
    def settled_motion(self) -> TimeScaled:
        """The motion that the servos settle into, except for its phase."""
        return TimeScaled(self.omega, self.reached, self.phi0, self.psi, 0.0, 0.0)

    def sample(self, t: Any) -> Sample:
        at = np.asarray(t, dtype=float)[..., np.newaxis]
        tau, begin = 0.5 * self.lag, START_PHASE + np.array([0.5 * self.psi, -0.5 * self.psi])
        commanded = self.reached * (1.0 + (tau * self.omega) ** 2)
        late = begin - 2.0 * math.atan(tau * self.omega)
        swing = self.reached * np.exp(1j * (self.omega * at + late))
        # the transient of the start at rest: (c + e t) exp(-t / tau)
        c = commanded * np.sin(begin) - self.reached * np.sin(late)
        e = c / tau - self.reached * self.omega * np.cos(late)
        decay = np.exp(-at / tau)
        transient = (c + e * at) * decay
        rate = (e - (c + e * at) / tau) * decay
        gain = ((c + e * at) / tau**2 - 2.0 * e / tau) * decay
        return Sample(
            self.phi0 + swing.imag + transient,
            (1j * self.omega * swing).imag + rate,
            (-(self.omega**2) * swing).imag + gain,
        )


@dataclass(frozen=True)
class MeasuredSteps:
    """Steps of an experiment, m a cycle; NaN where a foot lifted."""

    mean: float  # over the repeats
    least: float
    most: float


def experiment(
    robot: ThreeLink, motion: ServoMotion, *, settled: bool = True, seed: int = 0, spread: float = DEFAULT_SPREAD
) -> MeasuredSteps:
    """Crawl CYCLES cycles REPEATS times with frictions (1 ± e/2, 1 ∓ e/2) of the robot's, e even in [-spread, spread].

    ``settled``: on even ground until the crawl repeats, before the distance is measured. The paper does not say whether
    it measured from rest.
    """
    random = np.random.default_rng([seed, round(1e3 * motion.omega), round(1e3 * motion.phi0)])
    before = crawl(robot, motion.settled_motion).cycles_to_steady if settled else 0
    still = [0.0] * (2 * before)
    means = [_walk(robot, motion, still, random.uniform(-spread, spread, 2 * CYCLES).tolist()) for _ in range(REPEATS)]
    return MeasuredSteps(float(np.mean(means)), min(means), max(means))


def _walk(robot: ThreeLink, motion: ServoMotion, before: list[float], strays: list[float]) -> float:
    """Return metres a cycle from rest after the half cycles `before`; e of the frictions for every half of a cycle."""
    half = 0.5 * motion.period
    state, start = State(), 0.0
    for k, e in enumerate([*before, *strays]):
        floor = replace(robot, mu1=robot.mu1 * (1.0 + 0.5 * e), mu2=robot.mu2 * (1.0 - 0.5 * e))
        start = state.x1 if k == len(before) else start
        try:
            x1, v1 = simulate(SpanTable(floor, motion, k * half, (k + 1) * half), state).end_state
        except HybridFault:
            return math.nan
        state = State(x1, v1)
    return (start - state.x1) / (0.5 * len(strays))
