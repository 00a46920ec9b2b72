"""Fig. 5: roll and pitch of the trot over five seconds."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.miniaq.figures.figure_data import FigureData
from crawler_studies.plots.drawing import BLUE, Drawing


def make(data: FigureData) -> Drawing:
    walk, last = data.trot.walk, data.trot.settled
    roll, pitch = np.degrees(walk.rpy[:, :2]).T
    table = {"t_s": walk.times, "roll_deg": roll, "pitch_deg": pitch}
    amplitude, low, high = 0.5 * np.ptp(roll[last]), pitch[last].min(), pitch[last].max()

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 1, sharex=True)
        for axes, angle, words in zip(panels, (roll, pitch), ("(a) roll [°]", "(b) pitch [°], nose down"), strict=True):
            axes.plot(walk.times, angle, color=BLUE, linewidth=1.2)
            axes.set_ylabel(words)
        panels[1].set_xlabel("t [s]")
        panels[1].set_xlim(0.0, walk.times[-1])

    title = f"trot at 2.5 Hz: roll ±{amplitude:.1f}°, pitch {low:.1f} to {high:.1f}°, both periodic"
    return Drawing(5, title, {"": table}, draw, (9.0, 5.5))
