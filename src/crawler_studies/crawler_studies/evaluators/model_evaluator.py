"""Evaluation by the equations of the robot's paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.registry import import_object
from crawler_models.model_registry import model_of, predict, predicts
from crawler_studies.evaluators.batch_evaluation import evaluate_batch
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.study.study_case import Point, StudyCase, extra_columns
from gait_generators.kinds.limit_check import check_limits


@dataclass(frozen=True)
class ModelEvaluator:
    """Evaluates steady crawling by the equations, or by those of the law where it has its own.

    Raises UserError for a robot that has no equations.
    """

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
        if batch and self.case.law_entry.prediction is None:  # a batch is of gaits without a law
            loaded = import_object(batch, what=f"the batch of '{self.case.spec.name}'")
            found = evaluate_batch(loaded, self.case, points)
        return [
            self.evaluate_point(point) if result is None else result
            for point, result in zip(points, found, strict=True)
        ]

    def evaluate_point(self, point: Point) -> Result:
        """Evaluate a single point by the plain solver."""
        try:
            spec, gait = self.case.at(point)
            check_limits(spec, gait)
            law_model = self.case.law_entry.prediction
            found = law_model.of(spec, gait, self.case.law_at(point)) if law_model else predict(spec, gait)
        except (UserError, ValueError) as error:
            return Result.invalid(str(error))
        extra = {name: found[name] for name in extra_columns(spec) if name in found}
        return Result(found["step_length_m"], found["speed_m_s"], found["valid"], found["reason"], extra)
