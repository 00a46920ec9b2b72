"""Going over to other even speeds at once, and on the way into step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Sample, evaluate_quintic, quintic_coefficients
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import SteeredGait
from gait_generators.kinds.limit_check import SAMPLES, keeps_rate_limits

QUICK = 0.4  # s, where the joints' limits allow it
LONGEST = 2.0  # s; what takes longer is done without coming into step


@dataclass(frozen=True)
class ConstantRateTransition:
    """A quintic from the state at `start` into joints that turn evenly. It says nothing of the time before."""

    start: float  # s
    duration: float  # s
    begin: Sample  # at `start`, one row of joints
    position: FloatArray  # rad, at the end
    rate: FloatArray  # rad/s, from then on

    @property
    def end(self) -> float:
        """When the joints turn evenly, s."""
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
    """The change to `rate` (rad/s) in which joints of one pace come as far ahead of each other as `gait` wants them.

    It is as quick as the joints' limits allow. Where they leave no room to catch up, the joints that are ahead wait;
    where they do not allow that either, the joints do not come into step.
    """
    duration = QUICK
    while duration <= LONGEST:
        # without a correction: the speed goes over in a cubic, and the joints come wherever that takes them
        way = duration * (0.5 * (begin.velocity + rate) + duration / 12.0 * begin.acceleration)
        apart = phase_correction(gait.start, begin.position + way, rate)
        for correction in (apart, _waiting(apart, rate)):
            change = ConstantRateTransition(start, duration, begin, begin.position + way + correction, rate)
            if keeps_rate_limits(spec, change, np.linspace(start, change.end, SAMPLES)):
                return change
        duration *= 1.25
    way = QUICK * (0.5 * (begin.velocity + rate) + QUICK / 12.0 * begin.acceleration)
    return ConstantRateTransition(start, QUICK, begin, begin.position + way, rate)


def phase_correction(pattern: FloatArray, position: FloatArray, rate: FloatArray) -> FloatArray:
    """What to add to `position` (rad) so that the joints of one pace are at the same time of `pattern`.

    That time is the mean of those at which they are. Joints that turn the other way go through it backwards.
    """
    correction = np.zeros_like(rate)
    for pace in np.unique(np.abs(rate)):
        joints = np.flatnonzero((np.abs(rate) == pace) & (rate != 0.0))
        if not len(joints):
            continue
        way = np.sign(rate[joints])
        turned = np.exp(1j * way * (position - pattern)[joints])
        mean = turned.sum() or turned[0]
        correction[joints] = way * np.angle(mean / turned)
    return correction


def _waiting(correction: FloatArray, rate: FloatArray) -> FloatArray:
    """The same where no joint is to catch up."""
    waits = correction.copy()
    for pace in np.unique(np.abs(rate)):
        joints = np.abs(rate) == pace
        way = np.sign(rate[joints])
        waits[joints] -= way * (way * correction[joints]).max(initial=0.0)
    return waits
