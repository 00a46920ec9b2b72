"""Table 1: the largest alpha for each n, with f and d_unit there."""

from __future__ import annotations

import math

import numpy as np

from crawler_models.snake import Wave, alpha_limit
from crawler_studies.plots.drawing import Array, TextTable
from crawler_studies.snake.figures.figure_data import FigureData, text_rows
from crawler_studies.snake.figures.printed_values import TABLE_1

GRID = 0.01  # rad: the paper went through alpha in such steps, and its last one is a little below the limit


def make(data: FigureData) -> TextTable:
    head = ("n", "α_max printed", "(14)", "f printed", "(11)", "d_unit printed", "(12)", "f of the closed wave")
    formats = ("g", ".1f", ".2f", ".2f", ".4f", ".2f", ".4f", ".0e")
    title = f"the largest α in degrees, and f and d_unit at the last α below it on a grid of {GRID:g} rad"
    return TextTable("table 1", title, head, text_rows(columns(), formats))


def columns() -> dict[str, Array]:
    """What is printed beside theory."""
    limits = [alpha_limit(row.n) for row in TABLE_1]
    waves = [Wave(row.n, GRID * math.floor(limit / GRID)) for row, limit in zip(TABLE_1, limits, strict=True)]
    return {
        "n": np.array([float(row.n) for row in TABLE_1]),
        "alpha_max_printed_deg": np.array([row.alpha_deg for row in TABLE_1]),
        "alpha_max_deg": np.degrees(limits),
        "f_printed": np.array([row.f for row in TABLE_1]),
        "f": np.array([one.f for one in waves]),
        "d_unit_printed": np.array([row.d_unit for row in TABLE_1]),
        "d_unit": np.array([one.d_unit for one in waves]),
        "f_closed": np.array([Wave(one.n, one.alpha, closed=True).f for one in waves]),
    }
