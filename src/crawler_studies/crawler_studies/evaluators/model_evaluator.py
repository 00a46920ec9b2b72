"""Evaluation by the equations of the robot's paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.table import load
from crawler_models.models import model_of, predict, predicts
from crawler_studies.evaluators.batch_evaluation import evaluate_at_once
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.study.extra_columns import own_columns
from crawler_studies.study.study_case import Point, Subject
from gait_generators.kinds.limit_check import check_limits


@dataclass(frozen=True)
class ModelEvaluator:
    """Steady crawling by the equations, those of the law where it has its own. Raises UserError without any."""

    subject: Subject
    backend: str = "model"

    def __post_init__(self) -> None:
        if self.subject.law_entry.prediction is None and not predicts(self.subject.spec):
            raise UserError(
                f"there are no equations that predict '{self.subject.spec.name}': use --backend pybullet or mujoco."
            )

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        found: list[Result | None] = [None] * len(points)
        batch = model_of(self.subject.spec).batch
        if batch and self.subject.law_entry.prediction is None:  # a batch is of bare gaits
            what = f"the batch of '{self.subject.spec.name}'"
            found = evaluate_at_once(load(batch, what=what), self.subject, points)
        return [self.one(point) if result is None else result for point, result in zip(points, found, strict=True)]

    def one(self, point: Point) -> Result:
        """A single point by the plain solver."""
        try:
            spec, gait = self.subject.at(point)
            check_limits(spec, gait)
            of_law = self.subject.law_entry.prediction
            found = of_law.of(spec, gait, self.subject.law_at(point)) if of_law else predict(spec, gait)
        except (UserError, ValueError) as error:
            return Result.invalid(str(error))
        own = {name: found[name] for name in own_columns(spec) if name in found}
        return Result(found["step_length_m"], found["speed_m_s"], found["valid"], found["reason"], own)
