"""Table 2: f, d_unit and d of the experiments, by theory beside print, and the loss that follows from them."""

from __future__ import annotations

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.plots.drawing import Array, TextTable
from crawler_studies.snake.figures.figure_data import FigureData, text_rows, wave
from crawler_studies.snake.figures.printed_values import MISPRINT, TABLE_2

CYCLES = 10  # that d and Delta x are of


def make(data: FigureData) -> TextTable:
    head = ("n", "α, °", "f printed", "(11)", "d_unit printed", "(12)", "d printed", "10 l d_unit", "Δx printed")
    losses = ("loss printed", "of printed d", "of our d")
    formats = ("g", "g", ".3f", ".4f", ".3f", ".4f", ".1f", ".1f", ".1f", ".0f", ".1f", ".1f")
    rows = text_rows(columns(data.spec), formats)
    wrong = [(row.n, row.alpha_deg) for row in TABLE_2].index(MISPRINT)
    rows[wrong] = [f"**{cell}**" if column in (4, 6, 9) else cell for column, cell in enumerate(rows[wrong])]
    return TextTable(
        "table 2",
        "the experiments, lengths in mm, losses in %",
        (*head, *losses),
        rows,
        "Bold: d_unit is misprinted, and d and the loss are computed from it. The other d are 840 mm times the rounded "
        "d_unit.",
    )


def columns(spec: RobotSpec) -> dict[str, Array]:
    """What is printed beside theory."""
    waves = [wave(row.n, row.alpha_deg) for row in TABLE_2]
    d = np.array([1e3 * CYCLES * spec.parameters["link_length"] * one.d_unit for one in waves])
    moved, printed = (np.array([getattr(row, name) for row in TABLE_2]) for name in ("moved_mm", "d_mm"))
    return {
        "n": np.array([float(row.n) for row in TABLE_2]),
        "alpha_deg": np.array([row.alpha_deg for row in TABLE_2]),
        "f_printed": np.array([row.f for row in TABLE_2]),
        "f": np.array([one.f for one in waves]),
        "d_unit_printed": np.array([row.d_unit for row in TABLE_2]),
        "d_unit": np.array([one.d_unit for one in waves]),
        "d_printed_mm": printed,
        "d_mm": d,
        "moved_printed_mm": moved,
        "loss_printed_percent": np.array([row.loss_percent for row in TABLE_2]),
        "loss_of_printed_percent": 100.0 * (1.0 - moved / printed),
        "loss_percent": 100.0 * (1.0 - moved / d),
    }
