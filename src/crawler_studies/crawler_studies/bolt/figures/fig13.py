"""Fig. 13: the commanded angle of the crank over time, and the angle that it takes."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.bolt.figures.figure_data import FigureData, shade_stance, wrapped
from crawler_studies.plots.drawing import BLUE, GREY, Drawing

SHOWN = 2.0  # s


def make(data: FigureData) -> Drawing:
    run = data.run
    table = {"t_s": run.t, "commanded_deg": np.degrees(run.reference), "q1_deg": np.degrees(run.q[:, 0])}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        shade_stance(axes, run, SHOWN)
        axes.plot(run.t, wrapped(run.q[:, 0]), color=GREY, linewidth=1.2, label="q_1")
        axes.plot(run.t, wrapped(run.reference), color=BLUE, label="commanded, theta_1d of (20)")
        axes.set(xlabel="t [s]; the foot is on the ground where it is grey", ylabel="crank [°], 360° = 0°")
        axes.set_xlim(0.0, SHOWN)
        axes.set_ylim(-8.0, 430.0)
        axes.set_yticks(np.arange(0, 361, 60))
        axes.legend(fontsize=8, loc="upper right", framealpha=0.95)

    return Drawing(13, "the commanded angle of the crank begins anew at every switch", {"": table}, draw, (10.0, 4.2))
