"""Data of the figures of MinIAQ: the paper's trot of five seconds, and its turn in place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crawler_core.gait_metrics.footfall import BoolArray
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.miniaq.equations.quadruped import LEG_NAMES, Quadruped
from crawler_models.miniaq.walks.steady_walk import Steady, steady_walk
from crawler_models.miniaq.walks.walk import Walk, walk
from crawler_studies.plots.drawing import Array
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.quadruped import QuadrupedGait

FREQUENCY_HZ, WALK_TIME_S = 2.5, 5.0  # the paper's
SETTLED_TIME_S = 2.0  # from which on its trot is periodic


@dataclass(frozen=True)
class RecordedWalk:
    """A gait, and the robot as it walks with it from rest."""

    gait: QuadrupedGait
    walk: Walk

    @property
    def settled(self) -> BoolArray:
        """True for each sample of the periodic part."""
        return self.walk.times >= SETTLED_TIME_S


@dataclass(frozen=True)
class FigureData:
    """The robot, and its walks."""

    spec: RobotSpec

    @cached_property
    def robot(self) -> Quadruped:
        return Quadruped.from_parameters(self.spec.parameters)

    @cached_property
    def trot(self) -> RecordedWalk:
        return self._walk()

    @cached_property
    def turn(self) -> RecordedWalk:
        """The right legs forward, the left ones backward."""
        return self._walk(turn=1.0)

    @cached_property
    def steady_trot(self) -> Steady:
        """The stride that repeats, of the trot."""
        return self.steady()[1]

    def steady(self, **values: float) -> tuple[QuadrupedGait, Steady]:
        """Return the paper's trot with other values, once its strides repeat."""
        gait = self._gait(**values)
        return gait, steady_walk(self.robot, gait)

    def _walk(self, **values: float) -> RecordedWalk:
        gait = self._gait(**values)
        return RecordedWalk(gait, walk(self.robot, gait.start, gait.rate, WALK_TIME_S))

    def _gait(self, **values: Any) -> QuadrupedGait:
        gait = make_gait(self.spec, "trot", {"frequency": FREQUENCY_HZ, **values})
        assert isinstance(gait, QuadrupedGait)
        return gait


def diagram_columns(down: BoolArray, forward: Array, meant: BoolArray) -> dict[str, Array]:
    """Return the contents of a gait diagram as columns."""
    table: dict[str, Array] = {}
    for k, leg in enumerate(LEG_NAMES):
        table |= {f"meant_{leg}": meant[:, k].astype(float), f"down_{leg}": down[:, k].astype(float)}
        table |= {f"forward_N_{leg}": forward[:, k]}
    return table
