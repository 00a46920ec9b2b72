"""The plot of a design: the foot's path of both mechanisms, its distance from the ideal one, and the transmission."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.bolt.equations.six_bar import pins
from crawler_models.bolt.equations.transmission import transmission
from crawler_studies.bolt.design.bars import Bars
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.plots.drawing import BLACK, BLUE, RED

SAMPLES = 721


def draw(figure: Figure, old: Bars, new: Bars, goal: MechanismGoal) -> None:
    """Draw on a figure of about 10 by 7 inches."""
    crank = np.append(goal.crank_turn(SAMPLES - 1), np.radians(goal.touch_down) - 2.0 * np.pi)
    turned = np.degrees(crank[0] - crank)
    wanted = goal.ideal_path(crank)
    panels = figure.subplot_mosaic([["path", "path"], ["off", "angle"]])
    path, off, angle = panels["path"], panels["off"], panels["angle"]
    path.plot(1e3 * wanted.real, 1e3 * wanted.imag, color=BLACK, linestyle="--", label="ideal")
    for bars, colour, label in ((old, RED, "robot file"), (new, BLUE, "found")):
        foot, drive = pins(bars, crank).F, transmission(bars, crank)
        path.plot(1e3 * foot.real, 1e3 * foot.imag, color=colour, label=label)
        path.plot(1e3 * foot.real[:1], 1e3 * foot.imag[:1], "o", color=colour)
        off.plot(turned, 1e3 * np.abs(foot - wanted), color=colour, label=label)
        for style, which, of in (("-", "B", drive.upper), ("--", "G", drive.lower)):
            angle.plot(turned, np.degrees(of), style, color=colour, label=f"{label}, at {which}")
    path.set(xlabel="x ahead of the crank [mm]", ylabel="y above the crank [mm]")
    path.set_title("path of the foot, a dot at touch-down", fontsize=10)
    path.set_aspect("equal")
    path.legend(fontsize=8, loc="center")
    off.set(ylabel="foot from the ideal [mm]")
    off.set_ylim(0.0, 1.25 * np.nanmax(off.get_ylim()))
    off.legend(fontsize=8, ncols=2, loc="upper center")
    angle.set(ylabel="transmission angle [°]")
    angle.set_ylim(0.0, 180.0 if angle.get_ylim()[1] > 90.0 else 90.0)
    angle.legend(fontsize=8, ncols=2, loc="lower center")
    for axes in (off, angle):
        axes.set_xlabel("crank since touch-down, backward [°]; stance is shaded")
        axes.axvspan(0.0, goal.stance, color=BLACK, alpha=0.06, linewidth=0.0)
        axes.set_xlim(0.0, 360.0)
        axes.set_xticks(np.arange(0, 361, 60))
    for axes in (path, off, angle):
        axes.grid(alpha=0.3)
