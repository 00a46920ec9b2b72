"""Figs. 5 to 7: attitude and way of the trot, and yaw while it turns in place."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.miniaq.equations.dynamics import rotation
from crawler_studies.miniaq.figures.figure_data import FREQUENCY_HZ, SETTLED_TIME_S, WALK_TIME_S, FigureData
from crawler_studies.plots.drawing import BLACK, BLUE, Drawing


def draw_fig05(data: FigureData) -> Drawing:
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


def draw_fig06(data: FigureData) -> Drawing:
    walk = data.trot.walk
    side = walk.position + rotation(walk.rpy) @ np.array([0.0, 0.5 * data.robot.width, 0.0])
    cog, point = 1e3 * walk.position, 1e3 * side
    table = {"t_s": walk.times}
    for name, way in (("cog", cog), ("side", point)):
        table |= {f"{axis}_{name}_mm": way[:, k] for k, axis in enumerate("xyz")}
    strides = int((WALK_TIME_S - SETTLED_TIME_S) * FREQUENCY_HZ)
    before = np.searchsorted(walk.times, WALK_TIME_S - strides / FREQUENCY_HZ - 1e-9)
    speed = np.hypot(*(walk.position[-1, :2] - walk.position[before, :2])) * FREQUENCY_HZ / strides

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


def draw_fig07(data: FigureData) -> Drawing:
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
