"""Fig. 4: d_unit and f over alpha, for n = 6."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.snake import alpha_limit
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, RED, Drawing
from crawler_studies.snake.figures.figure_data import FigureData, wave

N = 6


def make(data: FigureData) -> Drawing:
    limit = float(np.degrees(alpha_limit(N)))
    alpha = np.linspace(0.5, limit - 0.05, 200)
    paper = [wave(N, one) for one in alpha]
    d_unit = np.array([one.d_unit for one in paper])
    f = np.array([one.f for one in paper])
    closed = np.array([wave(N, one, closed=True).f for one in alpha])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(alpha, d_unit, color=BLUE, label="$d_{unit}$")
        axes.plot([limit], [3.35], "o", color=BLUE, mfc="none", label="3.35, printed at the limit")
        axes.set_xlabel("α [°]")
        axes.set_ylabel("$d_{unit}$ [links]", color=BLUE)
        other = axes.twinx()
        other.plot(alpha, f, color=RED, label="f of the paper's (8)")
        other.plot([limit], [0.52], "o", color=RED, mfc="none", label="0.52, printed at the limit")
        other.plot(alpha, closed, color=GREY, linestyle="--", label="f of the closed wave")
        other.set_ylabel("f", color=RED)
        other.set_ylim(-0.02, 0.6)
        axes.axvline(limit, color=BLACK, linewidth=0.6)
        handles = axes.get_legend_handles_labels(), other.get_legend_handles_labels()
        axes.legend(handles[0][0] + handles[1][0], handles[0][1] + handles[1][1], fontsize=8, loc="upper left")

    columns = {"alpha_deg": alpha, "d_unit": d_unit, "f": f, "f_closed": closed}
    return Drawing(4, f"$d_{{unit}}$ and f over α, n = {N}; the limit (14) is {limit:.2f}°", {"": columns}, draw)
