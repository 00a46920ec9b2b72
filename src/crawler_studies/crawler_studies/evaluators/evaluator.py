"""The interface of an evaluation, and its result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from crawler_studies.study.study_case import Point


class EvaluationStopped(Exception):
    """An evaluation was given up because its caller asked for the end."""


@dataclass(frozen=True)
class Result:
    """Steady crawling at one point. NaN where it is not known; an invalid result has no step and no speed."""

    step_length: float  # m, positive towards the robot's head
    speed: float  # m/s
    valid: bool
    reason: str = ""  # why it is not valid, a sentence
    extra: Mapping[str, Any] = field(default_factory=dict)  # those of the robot's extra columns that are known

    @staticmethod
    def invalid(reason: str) -> Result:
        return Result(math.nan, math.nan, valid=False, reason=reason)


class Evaluator(Protocol):
    """Evaluates points of a study. `backend` is model, live or the name of a physics engine."""

    @property
    def backend(self) -> str: ...

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        """Return the results in the order of the points. A point that is not possible is an invalid result."""
        ...
