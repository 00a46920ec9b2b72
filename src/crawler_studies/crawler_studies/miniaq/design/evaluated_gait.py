"""A gait with its prediction by the equations, and its score in a search."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crawler_core.errors import UserError
from crawler_models.miniaq.equations.four_bar import pins
from crawler_models.miniaq.equations.quadruped import Quadruped
from crawler_models.miniaq.walks.steady_walk import BLOCK_STRIDES
from crawler_models.model_registry import predict
from crawler_studies.miniaq.design.gait_goal import AIMS, ALL, GaitGoal
from crawler_studies.study.study_case import Point, StudyCase, group_by_section
from gait_generators.kinds.gait_registry import make_gait

# below the score of any gait that meets the goal, each below the one before
VIOLATION_PENALTY, INVALID_PENALTY = -1e3, -1e6


@dataclass(frozen=True)
class EvaluatedGait:
    """A gait and its prediction."""

    point: Point
    found: Mapping[str, Any]  # the model's prediction
    margin: float = math.inf  # m along x, least, between the centre of mass and the feet

    @property
    def valid(self) -> bool:
        """True where there is a walk."""
        return bool(self.found["valid"])

    def costs(self) -> tuple[float, float, float]:
        """Return the numbers that are minimised, in the order of AIMS."""
        return self.found["mismatch"], -self.found["speed_m_s"], self.found["cost_of_transport"]


def evaluate_gait(case: StudyCase, point: Point, margin: float = -math.inf) -> EvaluatedGait:
    """Evaluate the gait at `point`. One that is impossible, or nearer to tipping than `margin` (m), is not valid.

    The robot's parameters replace those of the file that is read already, which saves a third of the time.
    """
    sections = group_by_section(point)
    least_margin = -math.inf
    try:
        spec = replace(case.spec, parameters={**case.spec.parameters, **sections.get("robot", {})})
        values = {**(case.settings.get("gait") or {}), **sections.get("gait", {})}
        least_margin = tipping_margin(Quadruped.from_parameters(spec.parameters))
        if not least_margin >= margin:
            reason = f"with its cranks anywhere, a foot comes within {1e3 * least_margin:.1f} mm of the centre of mass"
            return EvaluatedGait(point, {"valid": False, "reason": reason}, least_margin)
        return EvaluatedGait(point, predict(spec, make_gait(spec, case.gait_name, values)), least_margin)
    except UserError as error:
        return EvaluatedGait(point, {"valid": False, "reason": str(error)}, least_margin)


def tipping_margin(robot: Quadruped) -> float:
    """Return the least distance (m) of a foot from the centre of mass along x; negative where the robot may tip over.

    Before a gait has synchronised its cranks are anywhere, and both front feet may be at their rearmost.
    """
    x = pins(robot, np.linspace(0.0, 2.0 * np.pi, 181)).E.real
    return float(min(robot.x_front + x.min(), -robot.x_hind - x.max()))


@dataclass(frozen=True)
class GaitScore:
    """A number that is maximised: by `aim` for gaits that meet the goal, by their distance from it for others."""

    goal: GaitGoal
    aim: str
    start: EvaluatedGait  # the gait that "all" compares with

    def __call__(self, gait: EvaluatedGait) -> float:
        if not gait.valid:
            return INVALID_PENALTY * (2.0 - math.tanh(10.0 * max(gait.margin, -1.0)))
        if (short := self.violation(gait)) > 0.0:
            return VIOLATION_PENALTY * (1.0 + min(short, 900.0))
        if self.aim == ALL:
            return -self.worst_share(gait)
        return -gait.costs()[AIMS.index(self.aim)]

    def violation(self, gait: EvaluatedGait) -> float:
        """Return how far the gait is from the goal's conditions; 0 where it meets them."""
        unsteady = 1.0 if gait.found["cycles_to_steady"] >= sum(BLOCK_STRIDES) else 0.0  # its strides do not repeat
        speed, turn = gait.found["speed_m_s"], abs(math.degrees(gait.found["yaw_per_stride_rad"]))
        slow = max(0.0, self.goal.least_speed - speed) / max(self.goal.least_speed, 1e-3)
        return unsteady + slow + max(0.0, turn - self.goal.most_turn) / max(self.goal.most_turn, 0.1)

    def meets_goal(self, gait: EvaluatedGait) -> bool:
        """Return True for a valid gait that meets the goal's conditions."""
        return gait.valid and self.violation(gait) == 0.0

    def worst_share(self, gait: EvaluatedGait) -> float:
        """Return the largest of mismatch, time and cost over those of the start; below 1 it is better in all."""
        if not self.start.valid:
            return max(gait.found["mismatch"], 0.05 / gait.found["speed_m_s"], gait.found["cost_of_transport"])
        old, new = self.start.found, gait.found
        return max(
            new["mismatch"] / old["mismatch"],
            old["speed_m_s"] / max(new["speed_m_s"], 1e-9),
            new["cost_of_transport"] / old["cost_of_transport"],
        )
