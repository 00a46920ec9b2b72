"""The crank gait: the joints that turn for ever turn evenly, and the others stay at home."""

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

SLOWEST = 0.05  # rad/s


@dataclass(frozen=True)
class CrankParameters:
    """Parameters as the user gives them."""

    omega: float = parameter(
        2.0, unit="rad/s", lower=-60.0, upper=60.0, doc="at which the cranks turn; negative: the other way"
    )
    phases: str = parameter("0", doc="degrees ahead of home, one for each actuated joint or one for all")

    def __post_init__(self) -> None:
        if abs(self.omega) < SLOWEST:
            raise UserError(f"gait.omega = {self.omega:g} is too slow for a gait: give {SLOWEST:g} rad/s at least.")


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
        """Raises UserError for phases that are no numbers or not as many as joints."""
        joints = spec.actuated
        turning = np.array([joint.continuous for joint in joints])
        phases = np.radians(_numbers(parameters.phases, spec))
        home = np.array([joint.home for joint in joints])
        return Crank(home + np.where(turning, phases, 0.0), np.where(turning, parameters.omega, 0.0))

    @property
    def period(self) -> float:
        return 2.0 * math.pi / float(np.abs(self.rate).max())

    def sample(self, t: Any) -> Sample:
        turned = np.asarray(t, dtype=float)[..., np.newaxis] * self.rate
        position = self.start + turned
        return Sample(position, np.broadcast_to(self.rate, position.shape), np.zeros(position.shape))


def _numbers(text: str, spec: RobotSpec) -> FloatArray:
    count = len(spec.actuated)
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, count) or not np.isfinite(numbers).all():
        raise UserError(
            f"gait.phases = '{text}' is not allowed: give one number of degrees, or {count} with commas between, "
            f"for {', '.join(spec.actuated_names)}."
        )
    return np.array(numbers * count if len(numbers) == 1 else numbers)


GAIT = GaitEntry(CrankParameters, Crank.of, turns=True)
