"""Fig. 6: the way of the trot over five seconds, of the centre of mass and of a point on the body's side."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.miniaq.equations.dynamics import rotation
from crawler_studies.miniaq.figures.figure_data import FREQUENCY, SECONDS, SETTLED, FigureData
from crawler_studies.plots.drawing import BLACK, BLUE, Drawing


def make(data: FigureData) -> Drawing:
    walk = data.trot.walk
    side = walk.position + rotation(walk.rpy) @ np.array([0.0, 0.5 * data.robot.width, 0.0])
    cog, point = 1e3 * walk.position, 1e3 * side
    table = {"t_s": walk.times}
    for name, way in (("cog", cog), ("side", point)):
        table |= {f"{axis}_{name}_mm": way[:, k] for k, axis in enumerate("xyz")}
    strides = int((SECONDS - SETTLED) * FREQUENCY)
    before = np.searchsorted(walk.times, SECONDS - strides / FREQUENCY - 1e-9)
    speed = np.hypot(*(walk.position[-1, :2] - walk.position[before, :2])) * FREQUENCY / strides

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 1, sharex=True)
        for axes, k, words in zip(panels, (2, 1), ("height z [mm]", "to the left, y [mm]"), strict=True):
            shift = point[0, k] - cog[0, k] if k == 1 else 0.0
            axes.plot(point[:, 0], point[:, k] - shift, color=BLACK, linewidth=1.0, label="point on the left side")
            axes.plot(cog[:, 0], cog[:, k], color=BLUE, linewidth=1.4, label="centre of mass")
            axes.set_ylabel(words)
        panels[1].set_xlabel("x forward [mm]; of y, the side's point begins at 0 too")
        panels[0].legend(fontsize=8, loc="upper right", ncols=2)

    title = f"trot at 2.5 Hz: {1e3 * speed:.1f} mm/s, {cog[-1, 0]:.0f} mm in 5 s, {cog[-1, 1]:+.2f} mm aside"
    return Drawing(6, title, {"": table}, draw, (9.0, 5.0))
