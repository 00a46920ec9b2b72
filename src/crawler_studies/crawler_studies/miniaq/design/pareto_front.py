"""The gaits that no other one beats in everything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawler_core.types import FloatArray
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait
from crawler_studies.miniaq.design.gait_goal import AIMS, KEYS
from crawler_studies.plots.drawing import Columns


def front(evaluated: Sequence[EvaluatedGait]) -> list[EvaluatedGait]:
    """Of gaits that count: those for which none is as good in all of AIMS and better in one, by rising mismatch."""
    costs = np.array([each.costs() for each in evaluated]).reshape(-1, len(AIMS))
    kept = [each for each, kept in zip(evaluated, unbeaten(costs), strict=True) if kept]
    return sorted(kept, key=EvaluatedGait.costs)


def unbeaten(costs: FloatArray) -> FloatArray:
    """Of each row of costs (n, k), all to be small: whether no other is as good in all of them and better in one."""
    kept = np.ones(len(costs), dtype=bool)
    for i, own in enumerate(costs):
        if kept[i]:
            kept &= ~((costs >= own).all(axis=1) & (costs > own).any(axis=1))
    return kept


def table(gaits: Sequence[EvaluatedGait]) -> Columns:
    """Their parameters, and what they come to."""
    named = {name: np.array([each.point[name] for each in gaits]) for name in (gaits[0].point if gaits else ())}
    return {**named, **{key: np.array([each.found[key] for each in gaits]) for key in KEYS.values()}}
