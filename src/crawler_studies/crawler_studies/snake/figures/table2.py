"""Table 2: f, d_unit and d of the experiments, by theory beside print, and the loss that follows from them."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.figures import Drawing
from crawler_studies.snake.figures.lab import Lab, wave, write_table
from crawler_studies.snake.figures.printed import MISPRINT, TABLE_2

CYCLES = 10  # that d and Delta x are of


def make(lab: Lab) -> Drawing:
    length = lab.spec.parameters["link_length"]
    waves = [wave(row.n, row.alpha_deg) for row in TABLE_2]
    d = np.array([1e3 * CYCLES * length * one.d_unit for one in waves])
    moved = np.array([row.moved_mm for row in TABLE_2])
    columns = {
        "n": np.array([float(row.n) for row in TABLE_2]),
        "alpha_deg": np.array([row.alpha_deg for row in TABLE_2]),
        "f_printed": np.array([row.f for row in TABLE_2]),
        "f": np.array([one.f for one in waves]),
        "d_unit_printed": np.array([row.d_unit for row in TABLE_2]),
        "d_unit": np.array([one.d_unit for one in waves]),
        "d_printed_mm": np.array([row.d_mm for row in TABLE_2]),
        "d_mm": d,
        "moved_printed_mm": moved,
        "loss_printed_percent": np.array([row.loss_percent for row in TABLE_2]),
        "loss_percent": 100.0 * (1.0 - moved / d),
    }
    head = ("n", "alpha [°]", "f\nprinted", "(11)", "d_unit\nprinted", "(12)", "d [mm]\nprinted", "10 l d_unit")
    losses = ("Delta x [mm]\nprinted", "loss [%]\nprinted", "of our d")
    formats = ("g", "g", ".3f", ".4f", ".3f", ".4f", ".1f", ".1f", ".1f", ".0f", ".1f")
    wrong = [k for k, row in enumerate(TABLE_2) if (row.n, row.alpha_deg) == MISPRINT]

    def draw(figure: Figure) -> None:
        rows = [
            [format(values[k], how) for values, how in zip(columns.values(), formats, strict=True)]
            for k in range(len(TABLE_2))
        ]
        write_table(figure.subplots(), (*head, *losses), rows, [(k, column) for k in wrong for column in (4, 6, 9)])

    title = "the experiments; red: d_unit misprinted, and what was computed from it"
    return Drawing("table 2", title, {"": columns}, draw, (11.0, 3.4))
