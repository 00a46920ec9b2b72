"""Fig. 14: the dependent angles over time."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.bolt.equations.six_bar import passive_angles
from crawler_studies.bolt.figures.figure_data import FigureData, shade_stance
from crawler_studies.plots.drawing import BLACK, BLUE, PURPLE, RED, Drawing

SHOWN = 2.0  # s
NAMES = ("HFE link", "KFE link", "hip", "knee")


def make(data: FigureData) -> Drawing:
    run = data.run
    angles = np.degrees(np.angle(np.exp(1j * run.z)))  # q2 counts the crank's turns
    turn = np.degrees(passive_angles(data.leg, np.radians(np.arange(0.0, 360.0, 0.5))))
    low, high = turn.min(axis=0), turn.max(axis=0)
    table = {"t_s": run.t, **{f"q{k + 2}_deg": angles[:, k] for k in range(4)}}

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2, sharex=True)
        for k, (axes, colour) in enumerate(zip(panels.flat, (BLUE, RED, PURPLE, BLACK), strict=True)):
            shade_stance(axes, run, SHOWN)
            jumps = np.abs(np.diff(angles[:, k], prepend=angles[0, k])) > 180.0
            axes.plot(run.t, np.where(jumps, np.nan, angles[:, k]), color=colour)
            turns = high[k] - low[k] > 300.0
            if not turns:
                for end in (low[k], high[k]):
                    axes.axhline(end, color="black", linewidth=0.7, linestyle=":")
            span = "it turns against the crank" if turns else f"{low[k]:.1f}° to {high[k]:.1f}° over a turn"
            axes.set(ylabel=f"q_{k + 2} [°]", title=f"{NAMES[k]}: {span}")
            axes.title.set_fontsize(10)
            axes.set_xlim(0.0, SHOWN)
        for axes in panels[1]:
            axes.set_xlabel("t [s]; on the ground where it is grey")

    return Drawing(
        14, "the dependent angles z, and the ranges that the linkage gives them", {"": table}, draw, (10.0, 6.0)
    )
