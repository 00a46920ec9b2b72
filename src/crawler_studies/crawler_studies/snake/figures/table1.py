"""Table 1: the largest alpha for each n, with f and d_unit there."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from crawler_models.snake import Wave, alpha_limit
from crawler_studies.figures import Drawing
from crawler_studies.snake.figures.lab import Lab, write_table
from crawler_studies.snake.figures.printed import TABLE_1

GRID = 0.01  # rad: the paper went through alpha in such steps, and its last one is a little below the limit


def make(lab: Lab) -> Drawing:
    limits = [alpha_limit(row.n) for row in TABLE_1]
    waves = [Wave(row.n, GRID * math.floor(limit / GRID)) for row, limit in zip(TABLE_1, limits, strict=True)]
    closed = [Wave(one.n, one.alpha, closed=True) for one in waves]
    columns = {
        "n": np.array([float(row.n) for row in TABLE_1]),
        "alpha_max_printed_deg": np.array([row.alpha_deg for row in TABLE_1]),
        "alpha_max_deg": np.degrees(limits),
        "alpha_deg": np.degrees([one.alpha for one in waves]),
        "f_printed": np.array([row.f for row in TABLE_1]),
        "f": np.array([one.f for one in waves]),
        "d_unit_printed": np.array([row.d_unit for row in TABLE_1]),
        "d_unit": np.array([one.d_unit for one in waves]),
        "f_closed": np.array([one.f for one in closed]),
    }
    head = (
        "n",
        "alpha_max [°]\nprinted",
        "(14)",
        "f\nprinted",
        "(11)",
        "d_unit\nprinted",
        "(12)",
        "f of the\nclosed wave",
    )

    def draw(figure: Figure) -> None:
        c = columns
        rows = [
            (
                f"{c['n'][k]:g}",
                f"{c['alpha_max_printed_deg'][k]:.1f}",
                f"{c['alpha_max_deg'][k]:.2f}",
                f"{c['f_printed'][k]:.2f}",
                f"{c['f'][k]:.4f}",
                f"{c['d_unit_printed'][k]:.2f}",
                f"{c['d_unit'][k]:.4f}",
                f"{c['f_closed'][k]:.0e}",
            )
            for k in range(len(TABLE_1))
        ]
        write_table(figure.subplots(), head, rows, ())

    title = f"the largest alpha on a grid of {GRID:g} rad, and f and d_unit there"
    return Drawing("table 1", title, {"": columns}, draw, (9.0, 4.2))
