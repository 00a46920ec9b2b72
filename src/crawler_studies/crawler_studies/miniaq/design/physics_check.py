"""The check of gaits in a physics engine, under the robot's own law with its coarse encoders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.miniaq.design.columns import MEASURED
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait
from crawler_studies.miniaq.design.gait_goal import AIM_KEYS, AIMS, ALL
from crawler_studies.study.study_case import StudyCase


@dataclass(frozen=True)
class PhysicsCheck:
    """The first of some gaits that is better in physics too, or else the first of all."""

    best: EvaluatedGait
    old: Mapping[str, float]  # by the keys of the columns
    new: Mapping[str, float]
    better: bool
    notes: Sequence[str]


def check_in_physics(case: StudyCase, aim: str, gaits: Sequence[EvaluatedGait]) -> PhysicsCheck:
    """Check `gaits`, the best by the equations first, against the case as it is set."""
    try:
        evaluator = PhysicsEvaluator.of(case, {})
    except UserError as error:
        return PhysicsCheck(gaits[0], {}, {}, True, [f"Physics was not run: {error}"])
    old = _numbers(evaluator.evaluate([{}])[0])
    failed: list[Mapping[str, float]] = []
    notes: list[str] = []
    for number, gait in enumerate(gaits, 1):
        result = evaluator.evaluate([gait.point])[0]
        new = _numbers(result)
        if is_better(aim, new, old):
            return PhysicsCheck(gait, old, new, True, notes)
        reason = "it is no better there" if result.valid else result.reason.rstrip(".")
        notes.append(f"Number {number} by the equations does not hold in physics: {reason}.")
        failed.append(new)
    return PhysicsCheck(gaits[0], old, failed[0], False, notes)


def is_better(aim: str, new: Mapping[str, float], old: Mapping[str, float]) -> bool:
    """Return True where the new numbers are better in `aim`; any gait that walks is better than one that does not."""
    aims = AIMS if aim == ALL else (aim,)
    return all(_cost(each, new) < _cost(each, old) for each in aims)


def _cost(aim: str, numbers: Mapping[str, float]) -> float:
    cost = numbers[f"physics_{AIM_KEYS[aim]}"] * (-1.0 if aim == "speed" else 1.0)
    return math.inf if math.isnan(cost) else cost


def _numbers(result: Result) -> dict[str, float]:
    known = {"speed_m_s": result.speed, **result.extra}
    return {f"physics_{key}": float(known.get(key, math.nan)) for key in MEASURED}
