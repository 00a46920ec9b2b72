"""What a gait comes to by the equations, and how much that is worth."""

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
from crawler_models.models import predict
from crawler_studies.miniaq.design.gait_goal import AIMS, ALL, GaitGoal
from crawler_studies.study.study_case import Point, StudyCase, group_by_section
from gait_generators.kinds.gait_registry import make_gait

# less than any score of a gait that counts, each below the one before
REFUSED, IMPOSSIBLE = -1e3, -1e6


@dataclass(frozen=True)
class EvaluatedGait:
    """A gait and its prediction."""

    point: Point
    found: Mapping[str, Any]  # the model's prediction
    margin: float = math.inf  # m, of the centre of mass to the nearest that a foot comes to it along x

    @property
    def valid(self) -> bool:
        """Whether there is a walk."""
        return bool(self.found["valid"])

    def costs(self) -> tuple[float, float, float]:
        """What is to be small, in the order of AIMS."""
        return self.found["mismatch"], -self.found["speed_m_s"], self.found["cost_of_transport"]


def evaluate_gait(case: StudyCase, point: Point, margin: float = -math.inf) -> EvaluatedGait:
    """Never raises: what cannot be, or comes nearer to tipping than `margin` (m), has valid = False and the reason.

    The robot's parameters take their places in the file that is read already, which spares a third of the time.
    """
    own = group_by_section(point)
    kept = -math.inf
    try:
        spec = replace(case.spec, parameters={**case.spec.parameters, **own.get("robot", {})})
        values = {**(case.settings.get("gait") or {}), **own.get("gait", {})}
        kept = margin_of(Quadruped.from_parameters(spec.parameters))
        if not kept >= margin:
            reason = f"with its cranks anywhere, a foot comes within {1e3 * kept:.1f} mm of the centre of mass"
            return EvaluatedGait(point, {"valid": False, "reason": reason}, kept)
        return EvaluatedGait(point, predict(spec, make_gait(spec, case.gait_name, values)), kept)
    except UserError as error:
        return EvaluatedGait(point, {"valid": False, "reason": str(error)}, kept)


def margin_of(robot: Quadruped) -> float:
    """How near (m) a foot comes to the centre of mass along x, at worst: negative where the robot may tip over.

    Before a gait has come together its cranks are anywhere, and both front feet may be at their rearmost.
    """
    x = pins(robot, np.linspace(0.0, 2.0 * np.pi, 181)).E.real
    return float(min(robot.x_front + x.min(), -robot.x_hind - x.max()))


@dataclass(frozen=True)
class GaitScore:
    """A number to make large: of gaits that count by `aim`, of others by how far they are from counting."""

    goal: GaitGoal
    aim: str
    start: EvaluatedGait  # that "all" compares with

    def __call__(self, evaluated: EvaluatedGait) -> float:
        if not evaluated.valid:
            return IMPOSSIBLE * (2.0 - math.tanh(10.0 * max(evaluated.margin, -1.0)))
        if (short := self.violation(evaluated)) > 0.0:
            return REFUSED * (1.0 + min(short, 900.0))
        if self.aim == ALL:
            return -self.worst(evaluated)
        return -evaluated.costs()[AIMS.index(self.aim)]

    def violation(self, evaluated: EvaluatedGait) -> float:
        """How far it is from what is wanted of every gait; 0 where it counts."""
        wild = 1.0 if evaluated.found["cycles_to_steady"] >= sum(BLOCK_STRIDES) else 0.0  # its strides never repeat
        speed, turn = evaluated.found["speed_m_s"], abs(math.degrees(evaluated.found["yaw_per_stride_rad"]))
        slow = max(0.0, self.goal.least_speed - speed) / max(self.goal.least_speed, 1e-3)
        return wild + slow + max(0.0, turn - self.goal.most_turn) / max(self.goal.most_turn, 0.1)

    def counts(self, evaluated: EvaluatedGait) -> bool:
        """Whether it keeps to what is wanted of every gait."""
        return evaluated.valid and self.violation(evaluated) == 0.0

    def worst(self, evaluated: EvaluatedGait) -> float:
        """The largest of mismatch, time and cost as a share of those that it starts from; below 1: better in all."""
        if not self.start.valid:
            return max(
                evaluated.found["mismatch"], 0.05 / evaluated.found["speed_m_s"], evaluated.found["cost_of_transport"]
            )
        old, new = self.start.found, evaluated.found
        return max(
            new["mismatch"] / old["mismatch"],
            old["speed_m_s"] / max(new["speed_m_s"], 1e-9),
            new["cost_of_transport"] / old["cost_of_transport"],
        )
