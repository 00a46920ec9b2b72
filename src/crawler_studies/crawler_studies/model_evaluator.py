"""Evaluation by the equations of the robot's paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.table import load
from crawler_models.catalogue import model_of, predict, predicts
from crawler_studies.batching import evaluate_at_once
from crawler_studies.evaluation import Result
from crawler_studies.own_columns import own_columns
from crawler_studies.subject import Point, Subject
from gait_generators.checks import check_limits


@dataclass(frozen=True)
class ModelEvaluator:
    """Steady crawling by the equations. Raises UserError for a robot without any."""

    subject: Subject
    backend: str = "model"

    def __post_init__(self) -> None:
        if not predicts(self.subject.spec):
            raise UserError(f"there are no equations that predict '{self.subject.spec.name}': use --backend pybullet.")

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        found: list[Result | None] = [None] * len(points)
        if batch := model_of(self.subject.spec).batch:
            what = f"the batch of '{self.subject.spec.name}'"
            found = evaluate_at_once(load(batch, what=what), self.subject, points)
        return [self.one(point) if result is None else result for point, result in zip(points, found, strict=True)]

    def one(self, point: Point) -> Result:
        """A single point by the plain solver."""
        try:
            spec, gait = self.subject.at(point)
            check_limits(spec, gait)
            found = predict(spec, gait)
        except UserError as error:
            return Result.invalid(str(error))
        own = {name: found[name] for name in own_columns(spec) if name in found}
        return Result(found["step_length_m"], found["speed_m_s"], found["valid"], found["reason"], own)
