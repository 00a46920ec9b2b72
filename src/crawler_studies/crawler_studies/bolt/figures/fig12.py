"""Fig. 12: the body's way and height, and the phase portraits of height and crank."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.bolt.figures.figure_data import STRIDES, FigureData, wrapped
from crawler_studies.plots.drawing import BLUE, RED, Drawing


def make(data: FigureData) -> Drawing:
    run = data.run
    (q1, x, y), (rate, dx, dy) = run.q.T, run.dq.T
    table = {"t_s": run.t, "x_b_m": x, "y_b_m": y, "dx_b_m_s": dx, "dy_b_m_s": dy, "q1_deg": np.degrees(q1)}
    table |= {"dq1_rad_s": rate, "mode": run.mode.astype(float)}
    shown = wrapped(q1)
    before = np.searchsorted(run.t, run.touch_down, side="left")  # the row before the impact; the next one is after it

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2)
        panels[0, 0].plot(run.t, x, color=BLUE)
        panels[0, 0].set(xlabel="t [s]", ylabel="x_b [m]", title="(a) way of the body")
        panels[0, 1].plot(run.t, y, color=BLUE)
        panels[0, 1].set(xlabel="t [s]", ylabel="y_b [m]", title="(b) height of the body")
        panels[1, 0].plot(y, dy, color=BLUE, linewidth=0.9)
        panels[1, 0].set(xlabel="y_b [m]", ylabel="dy_b/dt [m/s]", title="(c) height: a limit cycle")
        panels[1, 1].plot(shown, rate, color=BLUE, linewidth=0.9)
        panels[1, 1].axhline(0.0, color="black", linewidth=0.6)
        panels[1, 1].set(xlabel="q_1, from 0 to 360 [°]", ylabel="dq_1/dt [rad/s]", title="(d) crank: a limit cycle")
        panels[1, 1].set_xticks(np.arange(0, 361, 60))
        for k, row in enumerate(before):
            label = "impact" if k == 0 else None
            two = slice(row, row + 2)
            panels[1, 0].plot(y[two], dy[two], color=RED, linewidth=1.2, label=label)
            panels[1, 1].plot(np.mod(np.degrees(q1[two]), 360.0), rate[two], color=RED, linewidth=1.2, label=label)
        for axes in panels[1]:
            axes.legend(fontsize=8, loc="center")
        for axes in panels.flat:
            axes.title.set_fontsize(10)

    title = (
        f"{STRIDES} strides, {1e3 * run.period.mean():.1f} ms and {run.speed.mean():.3f} m/s; "
        f"the impact throws the crank back at up to {run.backward.max():.1f} rad/s"
    )
    return Drawing(12, title, {"": table}, draw, (10.0, 7.0))
