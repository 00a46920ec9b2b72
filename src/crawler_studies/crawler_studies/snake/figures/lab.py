"""What the figures of the snake have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from crawler_core.robot import RobotSpec
from crawler_models.snake import Wave
from crawler_studies.evaluation import Result
from crawler_studies.model_evaluator import ModelEvaluator
from crawler_studies.physics_evaluator import PhysicsEvaluator
from crawler_studies.subject import Subject
from sim_bridge.engines import TITLES, default_physics

GAITS = ("serpenoid", "serpenoid_closed")


@dataclass(frozen=True)
class Lab:
    """The robot, and who measures it."""

    spec: RobotSpec
    physics: str = ""  # the engine's backend; empty: the default one

    @property
    def engine(self) -> str:
        """What people call it."""
        return TITLES[self.physics or default_physics()]

    def measured(self, gait: str, cases: Sequence[tuple[int, float]]) -> list[Result]:
        """Cycles in physics with the robot's own servos, for pairs of n and alpha (degrees)."""
        return PhysicsEvaluator.of(Subject(self.spec.name, gait), {}, self.physics).evaluate(_points(cases))

    def predicted(self, gait: str, cases: Sequence[tuple[int, float]]) -> list[Result]:
        """The same by the quasi-static equations."""
        return ModelEvaluator(Subject(self.spec.name, gait)).evaluate(_points(cases))


def _points(cases: Sequence[tuple[int, float]]) -> list[dict[str, float]]:
    return [{"gait.n": float(n), "gait.alpha": alpha} for n, alpha in cases]


def wave(n: int, alpha_deg: float, *, closed: bool = False) -> Wave:
    """A wave; alpha in degrees as the paper gives it."""
    return Wave(n, float(np.radians(alpha_deg)), closed)


def write_table(
    axes: Axes, head: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[tuple[int, int]]
) -> None:
    """A table of text; the marked cells (row, column) are red."""
    axes.axis("off")
    table = axes.table([list(row) for row in rows], colLabels=list(head), loc="center", cellLoc="center")
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1.0, 1.5)
    for column in range(len(head)):
        table[0, column].set_facecolor("#e8ebef")
        table[0, column].set_height(1.7 * table[0, column].get_height())  # for two lines
    for row, column in marked:
        table[row + 1, column].set_text_props(color="#c0392b", weight="bold")
