"""Evaluation by the equations of the robot's paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_models.prediction import has_equations, predict
from crawler_studies import three_link_batch
from crawler_studies.evaluation import Result
from crawler_studies.own_columns import predicted
from crawler_studies.subject import Point, Subject
from gait_generators.checks import check_limits


@dataclass(frozen=True)
class ModelEvaluator:
    """Steady crawling by the equations. Raises UserError for a robot without any."""

    subject: Subject
    backend: str = "model"

    def __post_init__(self) -> None:
        if not has_equations(self.subject.spec.name):
            raise UserError(f"there are no equations for the robot '{self.subject.spec.name}': use --backend pybullet.")

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        found: list[Result | None] = [None] * len(points)
        if self.subject.spec.name == "three_link":
            found = three_link_batch.evaluate(self.subject, points)
        return [self.one(point) if result is None else result for point, result in zip(points, found, strict=True)]

    def one(self, point: Point) -> Result:
        """A single point by the plain solver."""
        try:
            spec, gait = self.subject.at(point)
            check_limits(spec, gait)
        except UserError as error:
            return Result.invalid(str(error))
        found = predict(spec.name, spec.parameters, gait, [joint.effort for joint in spec.actuated])
        return Result(
            found["step_length_m"],
            found["speed_m_s"],
            found["valid"],
            found["reason"],
            found.get("min_normal_force_N", math.nan),
            found.get("painleve_margin", math.nan),
            found.get("unique", True),
            predicted(spec.name, found),
        )
