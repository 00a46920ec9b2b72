"""Fig. 16, what is simulated of it: crank and body, and the foot's two coordinates."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.bolt.figures.figure_data import FigureData, shade_stance, wrapped
from crawler_studies.plots.drawing import BLUE, Drawing

SHOWN = 1.2  # s
PRINTED, EXPERIMENT = 284, 315  # ms a stride, in the paper


def make(data: FigureData) -> Drawing:
    run = data.run
    ahead = run.foot[:, 0] - run.q[:, 1]
    table = {
        "t_s": run.t,
        "q1_deg": np.degrees(run.q[:, 0]),
        "y_b_m": run.q[:, 2],
        "f_x_in_body_m": ahead,
        "f_y_over_ground_m": run.foot[:, 1],
    }

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2, sharex=True)
        shown = (
            (wrapped(run.q[:, 0]), "q_1 [°]", "crank"),
            (1e3 * run.q[:, 2], "y_b [mm]", "height of the body"),
            (1e3 * ahead, "f_x [mm]", "foot ahead of the crank, in {B}"),
            (1e3 * run.foot[:, 1], "f_y [mm]", "foot above the ground"),
        )
        for axes, (values, label, title) in zip(panels.flat, shown, strict=True):
            shade_stance(axes, run, SHOWN)
            axes.plot(run.t, values, color=BLUE)
            axes.set(ylabel=label, title=title)
            axes.title.set_fontsize(10)
            axes.set_xlim(0.0, SHOWN)
        for axes in panels[1]:
            axes.set_xlabel("t [s]; on the ground where it is grey")

    ours = 1e3 * run.period.mean()
    title = (
        f"a stride takes {ours:.1f} ms; printed {PRINTED} ms for the simulation and {EXPERIMENT} ms for the experiment"
    )
    return Drawing(16, title, {"": table}, draw, (10.0, 6.0))
