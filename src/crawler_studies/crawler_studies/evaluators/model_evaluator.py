"""Evaluation by the equations of the robot's paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.registry import load
from crawler_models.models import model_of, predict, predicts
from crawler_studies.evaluators.batch_evaluation import evaluate_batch
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.study.extra_columns import extra_columns
from crawler_studies.study.study_case import Point, StudyCase
from gait_generators.kinds.limit_check import check_limits


@dataclass(frozen=True)
class ModelEvaluator:
    """Steady crawling by the equations, those of the law where it has its own. Raises UserError without any."""

    case: StudyCase
    backend: str = "model"

    def __post_init__(self) -> None:
        if self.case.law_entry.prediction is None and not predicts(self.case.spec):
            raise UserError(
                f"there are no equations that predict '{self.case.spec.name}': use --backend pybullet or mujoco."
            )

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        found: list[Result | None] = [None] * len(points)
        batch = model_of(self.case.spec).batch
        if batch and self.case.law_entry.prediction is None:  # a batch is of bare gaits
            what = f"the batch of '{self.case.spec.name}'"
            found = evaluate_batch(load(batch, what=what), self.case, points)
        return [self.one(point) if result is None else result for point, result in zip(points, found, strict=True)]

    def one(self, point: Point) -> Result:
        """A single point by the plain solver."""
        try:
            spec, gait = self.case.at(point)
            check_limits(spec, gait)
            of_law = self.case.law_entry.prediction
            found = of_law.of(spec, gait, self.case.law_at(point)) if of_law else predict(spec, gait)
        except (UserError, ValueError) as error:
            return Result.invalid(str(error))
        own = {name: found[name] for name in extra_columns(spec) if name in found}
        return Result(found["step_length_m"], found["speed_m_s"], found["valid"], found["reason"], own)
