"""The Pareto front: the gaits that no other one beats in all aims."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawler_core.types import FloatArray
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait
from crawler_studies.miniaq.design.gait_goal import AIM_KEYS, AIMS
from crawler_studies.plots.drawing import Columns


def pareto_front(evaluated: Sequence[EvaluatedGait]) -> list[EvaluatedGait]:
    """Return the gaits that are not dominated in AIMS, by rising mismatch."""
    costs = np.array([each.costs() for each in evaluated]).reshape(-1, len(AIMS))
    undominated = [each for each, is_best in zip(evaluated, find_undominated(costs), strict=True) if is_best]
    return sorted(undominated, key=EvaluatedGait.costs)


def find_undominated(costs: FloatArray) -> FloatArray:
    """Return True for each row of costs (n, k) if no other row is as small in all of them and smaller in one."""
    undominated = np.ones(len(costs), dtype=bool)
    for i, own in enumerate(costs):
        if undominated[i]:
            undominated &= ~((costs >= own).all(axis=1) & (costs > own).any(axis=1))
    return undominated


def tabulate_gaits(gaits: Sequence[EvaluatedGait]) -> Columns:
    """Return the parameters of the gaits, and their values in AIMS."""
    named = {name: np.array([each.point[name] for each in gaits]) for name in (gaits[0].point if gaits else ())}
    return {**named, **{key: np.array([each.found[key] for each in gaits]) for key in AIM_KEYS.values()}}
