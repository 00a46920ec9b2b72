"""Evaluation by the equations of the robot's paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_models.prediction import predict
from crawler_studies.evaluation import Result
from crawler_studies.subject import Point, Subject
from gait_generators.checks import check_limits


@dataclass(frozen=True)
class ModelEvaluator:
    """Steady crawling by the equations."""

    subject: Subject
    backend: str = "model"

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        return [self._one(point) for point in points]

    def _one(self, point: Point) -> Result:
        try:
            spec, gait = self.subject.at(point)
            check_limits(spec, gait)
        except UserError as error:
            return Result.invalid(str(error))
        found = predict(spec.name, spec.parameters, gait)
        return Result(
            found["step_length_m"],
            found["speed_m_s"],
            found["valid"],
            found["reason"],
            found["min_normal_force_N"],
            found["painleve_margin"],
            found["unique"],
        )
