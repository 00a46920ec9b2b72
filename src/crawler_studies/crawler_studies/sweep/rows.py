"""Rows of a sweep's study file, and what they are made from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from crawler_studies.evaluators.evaluator import Result
from crawler_studies.sweep.grid import Grid

RESULTS: dict[str, type] = {"step_length_m": float, "speed_m_s": float, "valid": bool, "reason": str}
UNKNOWN: dict[type, Any] = {float: math.nan, bool: None}


def columns(grid: Grid, own: Mapping[str, type]) -> dict[str, type]:
    """The columns of a sweep over `grid`, after the point's number; `own` are those of the robot alone."""
    return {**dict.fromkeys(grid.names, float), **RESULTS, **own}


def rows(
    grid: Grid, numbers: Sequence[int], results: Sequence[Result], own: Mapping[str, type]
) -> list[tuple[Any, ...]]:
    """The points with these numbers and what they came to, in the order of `columns`."""
    return [
        (
            number,
            *values,
            result.step_length,
            result.speed,
            bool(result.valid),
            result.reason,
            *(kind(result.extra[name]) if name in result.extra else UNKNOWN[kind] for name, kind in own.items()),
        )
        for number, values, result in zip(numbers, grid.coordinates(numbers).tolist(), results, strict=True)
    ]
