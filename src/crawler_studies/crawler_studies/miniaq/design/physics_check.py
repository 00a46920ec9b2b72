"""Whether physics agrees: the same gaits in a physics engine, under the robot's own law with its coarse encoders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.miniaq.design.columns import MEASURED
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait
from crawler_studies.miniaq.design.gait_goal import AIMS, ALL, KEYS
from crawler_studies.study.study_case import StudyCase


@dataclass(frozen=True)
class Confirmed:
    """The first of some gaits that physics finds better too, or else the first of all."""

    best: EvaluatedGait
    old: Mapping[str, float]  # by the keys of the columns
    new: Mapping[str, float]
    better: bool
    notes: Sequence[str]


def confirm(case: StudyCase, aim: str, gaits: Sequence[EvaluatedGait]) -> Confirmed:
    """Of `gaits`, the best by the equations first, against the case as it is set."""
    try:
        evaluator = PhysicsEvaluator.of(case, {})
    except UserError as error:
        return Confirmed(gaits[0], {}, {}, True, [f"Physics was not asked: {error}"])
    old = _numbers(evaluator.evaluate([{}])[0])
    failed: list[Mapping[str, float]] = []
    notes: list[str] = []
    for number, gait in enumerate(gaits, 1):
        result = evaluator.evaluate([gait.point])[0]
        new = _numbers(result)
        if beats(aim, new, old):
            return Confirmed(gait, old, new, True, notes)
        why = "it is no better there" if result.valid else result.reason.rstrip(".")
        notes.append(f"Number {number} by the equations does not hold in physics: {why}.")
        failed.append(new)
    return Confirmed(gaits[0], old, failed[0], False, notes)


def beats(aim: str, new: Mapping[str, float], old: Mapping[str, float]) -> bool:
    """Whether physics finds it better in what was asked for; any that walks is, where the old one does not."""
    asked = AIMS if aim == ALL else (aim,)
    return all(_cost(each, new) < _cost(each, old) for each in asked)


def _cost(aim: str, numbers: Mapping[str, float]) -> float:
    cost = numbers[f"physics_{KEYS[aim]}"] * (-1.0 if aim == "speed" else 1.0)
    return math.inf if math.isnan(cost) else cost


def _numbers(result: Result) -> dict[str, float]:
    known = {"speed_m_s": result.speed, **result.extra}
    return {f"physics_{key}": float(known.get(key, math.nan)) for key in MEASURED}
