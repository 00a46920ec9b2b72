"""Fig. 7: yaw while it turns in place."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.miniaq.figures.figure_data import FigureData
from crawler_studies.plots.drawing import BLACK, BLUE, Drawing


def make(data: FigureData) -> Drawing:
    walk, last = data.turn.walk, data.turn.settled
    yaw = np.degrees(walk.rpy[:, 2])
    rate, at_0 = np.polyfit(walk.times[last], yaw[last], 1)
    line = at_0 + rate * walk.times
    off = np.abs(yaw - line)[last].max()
    way = 1e3 * np.hypot(*walk.position[:, :2].T)
    table = {"t_s": walk.times, "yaw_deg": yaw, "line_deg": line, "off_the_start_mm": way}

    def draw(figure: Figure) -> None:
        turned, moved = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        turned.plot(walk.times, yaw, color=BLUE, label="yaw")
        turned.plot(walk.times, line, "--", color=BLACK, linewidth=1.0, label=f"{rate:.1f} °/s")
        turned.set_ylabel("yaw [°]")
        turned.legend(fontsize=8)
        moved.plot(walk.times, way, color=BLUE)
        moved.set(xlabel="t [s]", ylabel="off the start [mm]", xlim=(0.0, walk.times[-1]))

    title = f"in-place turning at 2.5 Hz: {rate:.1f} °/s, within {off:.1f}° of a line"
    return Drawing(7, title, {"": table}, draw, (9.0, 5.0))
