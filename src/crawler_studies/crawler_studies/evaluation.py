"""What one point of a study comes to, whoever finds it out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from crawler_studies.subject import Point


@dataclass(frozen=True)
class Result:
    """Steady crawling at one point. NaN where it is not known; an invalid result has no step and no speed."""

    step_length: float  # m, positive towards +x
    speed: float  # m/s
    valid: bool
    reason: str = ""  # why it is not valid, a sentence
    min_normal_force: float = math.nan  # N, smallest of all feet that are to stay on the ground
    painleve_margin: float = math.nan  # smallest denominator over the mass; <= 0 is Painleve's paradox
    unique: bool = True  # exactly one contact mode was consistent at every event
    own: Mapping[str, float] = field(default_factory=dict)  # the robot's own numbers: own_columns says which

    @staticmethod
    def invalid(reason: str) -> Result:
        """What could not be evaluated."""
        return Result(math.nan, math.nan, valid=False, reason=reason, unique=False)


class Evaluator(Protocol):
    """Finds out. `backend` is its name: model, pybullet or ring."""

    @property
    def backend(self) -> str: ...

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        """Results in the order of the points. A point that cannot be is an invalid result, never an exception."""
        ...
