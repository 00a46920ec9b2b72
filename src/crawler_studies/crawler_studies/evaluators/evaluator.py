"""What one point of a study comes to, whoever finds it out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from crawler_studies.study.study_case import Point


@dataclass(frozen=True)
class Result:
    """Steady crawling at one point. NaN where it is not known; an invalid result has no step and no speed."""

    step_length: float  # m, positive towards the robot's head
    speed: float  # m/s
    valid: bool
    reason: str = ""  # why it is not valid, a sentence
    own: Mapping[str, Any] = field(default_factory=dict)  # the robot's own columns, those that are known

    @staticmethod
    def invalid(reason: str) -> Result:
        """What could not be evaluated."""
        return Result(math.nan, math.nan, valid=False, reason=reason)


class Evaluator(Protocol):
    """Finds out. `backend` is its name: model, ring or a physics engine's."""

    @property
    def backend(self) -> str: ...

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        """Results in the order of the points. A point that cannot be is an invalid result, never an exception."""
        ...
