"""Data of the figures of the snake: cycles by physics and by the equations, and the paper's waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.snake import Wave
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.plots.drawing import Array
from crawler_studies.study.study_case import StudyCase
from sim_bridge.physics.engines import ENGINE_TITLES, default_physics

GAITS = ("serpenoid", "serpenoid_closed")


@dataclass(frozen=True)
class FigureData:
    """The robot, and the engine that measures it."""

    spec: RobotSpec
    physics: str = ""  # the engine's backend; empty: the default one

    @property
    def engine(self) -> str:
        """The engine's title."""
        return ENGINE_TITLES[self.physics or default_physics()]

    def measured(self, gait: str, cases: Sequence[tuple[int, float]]) -> list[Result]:
        """Measure cycles in physics with the robot's own servos, for pairs of n and alpha (degrees)."""
        return PhysicsEvaluator.of(StudyCase(self.spec.name, gait), {}, self.physics).evaluate(_points(cases))

    def predicted(self, gait: str, cases: Sequence[tuple[int, float]]) -> list[Result]:
        """Predict the same by the quasi-static equations."""
        return ModelEvaluator(StudyCase(self.spec.name, gait)).evaluate(_points(cases))


def _points(cases: Sequence[tuple[int, float]]) -> list[dict[str, float]]:
    return [{"gait.n": float(n), "gait.alpha": alpha} for n, alpha in cases]


def wave(n: int, alpha_deg: float, *, closed: bool = False) -> Wave:
    """Return a wave; alpha in degrees as the paper gives it."""
    return Wave(n, float(np.radians(alpha_deg)), closed)


def text_rows(columns: Mapping[str, Array], formats: Sequence[str]) -> list[list[str]]:
    """Return the rows of a table of text, with a format for each column."""
    texts = [[format(value, how) for value in values] for values, how in zip(columns.values(), formats, strict=True)]
    return [list(row) for row in zip(*texts, strict=True)]
