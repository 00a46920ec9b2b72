"""Transition of a gait's phases to other constant rates, with their differences brought to those of the gait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Sample, evaluate_quintic, quintic_coefficients
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import SteeredGait
from gait_generators.kinds.limit_check import LIMIT_SAMPLES, are_rates_allowed

MIN_DURATION_S = 0.4  # where the joints' limits allow it
MAX_DURATION_S = 2.0  # a longer transition is made without the phase correction
DURATION_GROWTH = 1.25  # between two durations that are tried


@dataclass(frozen=True)
class ConstantRateTransition:
    """A quintic from the phases at `start` into constant rates. It is not defined before `start`."""

    start: float  # s
    duration: float  # s
    begin: Sample  # at `start`, one row of phases
    position: FloatArray  # rad, at the end
    rate: FloatArray  # rad/s, from then on

    @property
    def end(self) -> float:
        """Return the time (s) from which on the rates are constant."""
        return self.start + self.duration

    def sample(self, t: Any) -> Sample:
        at = np.asarray(t, dtype=float)[..., np.newaxis] - self.start
        none = np.zeros_like(self.rate)
        c = quintic_coefficients(self.duration, *self.begin, self.position, self.rate, none)
        changing = evaluate_quintic(c, self.duration, np.clip(at / self.duration, 0.0, 1.0))
        even = self.position + self.rate * (at - self.duration), self.rate, none
        return Sample(*(np.where(at < self.duration, a, b) for a, b in zip(changing, even, strict=True)))


def plan_rate_change(
    spec: RobotSpec, gait: SteeredGait, begin: Sample, start: float, rate: FloatArray
) -> ConstantRateTransition:
    """Return the transition of the phases to `rate` (rad/s), after which those of one pace differ as in `gait`.

    `begin` are the phases at `start` (s). It is as quick as the joints' limits allow. Where they leave no room to catch
    up, the phases that are ahead wait. Where they do not allow that either, the phases are not corrected.
    """

    def keeps(change: ConstantRateTransition) -> bool:
        joints = gait.joints(change.sample(np.linspace(start, change.end, LIMIT_SAMPLES)))
        return are_rates_allowed(spec, joints)

    duration = MIN_DURATION_S
    while duration <= MAX_DURATION_S:
        travel = _travel(begin, rate, duration)
        catching_up = phase_correction(gait.start, begin.position + travel, rate)
        for correction in (catching_up, _waiting(catching_up, rate)):
            change = ConstantRateTransition(start, duration, begin, begin.position + travel + correction, rate)
            if keeps(change):
                return change
        duration *= DURATION_GROWTH
    duration = MIN_DURATION_S
    while True:
        travel = _travel(begin, rate, duration)
        change = ConstantRateTransition(start, duration, begin, begin.position + travel, rate)
        if duration > MAX_DURATION_S or keeps(change):
            return change
        duration *= DURATION_GROWTH


def _travel(begin: Sample, rate: FloatArray, duration: float) -> FloatArray:
    """Return the travel (rad) over a transition without phase correction, in which the speed follows a cubic."""
    return np.asarray(duration * (0.5 * (begin.velocity + rate) + duration / 12.0 * begin.acceleration))


def phase_correction(pattern: FloatArray, position: FloatArray, rate: FloatArray) -> FloatArray:
    """Return the change of `position` (rad) that brings phases of one pace to the same time of `pattern`.

    That time is the mean of their own. Phases that turn the other way go through the pattern backwards.
    """
    correction = np.zeros_like(rate)
    for pace in np.unique(np.abs(rate)):
        joints = np.flatnonzero((np.abs(rate) == pace) & (rate != 0.0))
        if not len(joints):
            continue
        direction = np.sign(rate[joints])
        turned = np.exp(1j * direction * (position - pattern)[joints])
        mean = turned.sum() or turned[0]
        correction[joints] = direction * np.angle(mean / turned)
    return correction


def _waiting(correction: FloatArray, rate: FloatArray) -> FloatArray:
    """Return a correction with the same phase differences in which none catches up."""
    waits = correction.copy()
    for pace in np.unique(np.abs(rate)):
        joints = np.abs(rate) == pace
        direction = np.sign(rate[joints])
        waits[joints] -= direction * (direction * correction[joints]).max(initial=0.0)
    return waits
