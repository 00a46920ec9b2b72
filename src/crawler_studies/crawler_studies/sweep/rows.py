"""Rows of a sweep's study file, and what they are made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from crawler_studies.evaluation import Result
from crawler_studies.sweep.grid import Grid

RESULTS: dict[str, type] = {
    "step_length_m": float,
    "speed_m_s": float,
    "valid": int,
    "reason": str,
    "min_normal_force_N": float,
    "painleve_margin": float,
    "unique": int,  # empty where the backend cannot tell
}


def columns(grid: Grid, own: Sequence[str] = ()) -> dict[str, type]:
    """The columns of a sweep over `grid`, after the point's number; `own` are those of the robot alone."""
    return {**dict.fromkeys(grid.names, float), **RESULTS, **dict.fromkeys(own, float)}


def rows(
    grid: Grid, numbers: Sequence[int], results: Sequence[Result], tells_unique: bool, own: Sequence[str] = ()
) -> list[tuple[Any, ...]]:
    """The points with these numbers and what they came to, in the order of `columns`."""
    return [
        (
            number,
            *values,
            result.step_length,
            result.speed,
            int(result.valid),
            result.reason,
            result.min_normal_force,
            result.painleve_margin,
            int(result.unique) if tells_unique else None,
            *(result.own.get(name, math.nan) for name in own),
        )
        for number, values, result in zip(numbers, grid.coordinates(numbers).tolist(), results, strict=True)
    ]
