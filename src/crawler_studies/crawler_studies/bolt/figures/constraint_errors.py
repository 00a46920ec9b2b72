"""Fig. 11: the errors of the constraints after a start with open loops."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.bolt.figures.figure_data import GROUND_TIME_LABEL, FigureData, shade_stance
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, PURPLE, RED, Drawing

START_ERROR_RAD = 0.05  # of every passive angle
SHOWN_TIME_S = 1.0
EPSILONS_S = (1e-3, 1e-2)  # the slower one shows that the decay is by epsilon alone
ROUNDING_M = 1e-18


def draw_fig11(data: FigureData) -> Drawing:
    start = data.inconsistent_start(START_ERROR_RAD)
    strides = 4
    fast, slow = (data.simulate(start, strides, 2e-4, epsilon=epsilon) for epsilon in EPSILONS_S)
    tables = {
        name: {"t_s": run.t, "mode": run.mode.astype(float), **{f"w_{k + 1}_m": run.w[:, k] for k in range(4)}}
        for name, run in (("1ms", fast), ("10ms", slow))
    }

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        shade_stance(axes, slow, SHOWN_TIME_S)
        for k, colour in enumerate((BLUE, RED, PURPLE, BLACK)):
            axes.plot(slow.t, 1e3 * slow.w[:, k], color=colour, label=f"w_{k + 1}, epsilon = 10 ms")
            axes.plot(fast.t, 1e3 * fast.w[:, k], "--", color=colour, linewidth=0.9)
        axes.plot([], [], "--", color=GREY, label="the same, epsilon = 1 ms")
        axes.set(xlabel=GROUND_TIME_LABEL, ylabel="error of the constraint [mm]")
        axes.set_xlim(0.0, SHOWN_TIME_S)
        axes.legend(fontsize=8, loc="lower right")
        inset = axes.inset_axes((0.36, 0.40, 0.60, 0.54))
        for run, epsilon, style, what in ((slow, EPSILONS_S[1], "-", "10 ms"), (fast, EPSILONS_S[0], "--", "1 ms")):
            size = np.linalg.norm(run.w, axis=1)
            inset.semilogy(run.t, np.maximum(size, ROUNDING_M), style, color=BLUE, label=f"|w|, epsilon = {what}")
            inset.semilogy(run.t, np.maximum(size[0] * np.exp(-run.t / epsilon), ROUNDING_M), ":", color=GREY, lw=2.0)
        inset.plot([], [], ":", color=GREY, lw=2.0, label="|w(0)| exp(-t / epsilon)")
        inset.set_xlim(0.0, 0.5)
        inset.set_ylim(1e-17, 1.0)
        inset.set_xlabel("t [s]", fontsize=8)
        inset.set_ylabel("|w| [m]", fontsize=8)
        inset.tick_params(labelsize=8)
        inset.legend(fontsize=8)
        inset.grid(alpha=0.3)

    title = f"the constraint errors, every passive angle {np.degrees(START_ERROR_RAD):.1f}° off at the start"
    return Drawing(11, title, tables, draw, (10.0, 5.4))
