"""The crank gait: continuous joints turn at a constant rate, all others stay at home."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from crawler_core.errors import UserError
from crawler_core.motion import Sample
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import LimitHints
from gait_generators.kinds.gait_entry import GaitEntry

MIN_OMEGA = 0.05  # rad/s


@dataclass(frozen=True)
class CrankParameters:
    omega: float = parameter(
        2.0, unit="rad/s", lower=-60.0, upper=60.0, doc="rate of the cranks; negative: the other way"
    )
    phases: str = parameter("0", doc="degrees ahead of home, one for each actuated joint or one for all")

    def __post_init__(self) -> None:
        if abs(self.omega) < MIN_OMEGA:
            raise UserError(f"gait.omega = {self.omega:g} rad/s is too slow: it must be at least {MIN_OMEGA:g} rad/s.")


@dataclass(frozen=True)
class Crank:
    """phi_j(t) = home_j + phase_j + omega t of a continuous joint, home_j of any other."""

    limit_hints: ClassVar[LimitHints] = LimitHints(
        above="give it another home", below="give it another home", fast="lower gait.omega"
    )

    start: FloatArray  # rad, at phase 0
    rate: FloatArray  # rad/s

    @staticmethod
    def of(spec: RobotSpec, parameters: CrankParameters) -> Crank:
        """Return the gait for a robot. Raises UserError for phases that are not numbers, or not one per joint."""
        joints = spec.actuated
        turning = np.array([joint.continuous for joint in joints])
        phases = np.radians(_parse_phases(parameters.phases, spec))
        home = np.array([joint.home for joint in joints])
        return Crank(home + np.where(turning, phases, 0.0), np.where(turning, parameters.omega, 0.0))

    @property
    def period(self) -> float:
        return 2.0 * math.pi / float(np.abs(self.rate).max())

    def joints(self, phase: Sample) -> Sample:
        """Return the joints for phases, which are their angles."""
        return phase

    def sample(self, t: Any) -> Sample:
        turned = np.asarray(t, dtype=float)[..., np.newaxis] * self.rate
        position = self.start + turned
        return Sample(position, np.broadcast_to(self.rate, position.shape), np.zeros(position.shape))


def _parse_phases(text: str, spec: RobotSpec) -> FloatArray:
    count = len(spec.actuated)
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, count) or not np.isfinite(numbers).all():
        raise UserError(
            f"gait.phases = '{text}' is not allowed: it must be one number of degrees, or {count} separated by commas "
            f"for {', '.join(spec.actuated_names)}."
        )
    return np.array(numbers * count if len(numbers) == 1 else numbers)


GAIT_ENTRY = GaitEntry(CrankParameters, Crank.of, turns=True)
