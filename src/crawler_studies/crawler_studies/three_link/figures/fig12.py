"""Fig. 12: the step over the asymmetry of the masses at half the central mass per leg."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.figures import Drawing
from crawler_studies.three_link.figures.fig11 import OMEGAS
from crawler_studies.three_link.figures.lab import Lab
from crawler_studies.three_link.figures.masses import steps_of_masses

DISTAL = 0.5  # (m1 + m2) / 2 m0, as printed


def make(lab: Lab) -> Drawing:
    asymmetry = np.geomspace(0.5, 2.0, 301)
    step = 1e3 * steps_of_masses(lab.hard, np.full(len(asymmetry), DISTAL), asymmetry, OMEGAS)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for omega, values in zip(OMEGAS, step, strict=True):
            axes.plot(asymmetry, values, label=f"omega = {omega:g} rad/s")
        axes.axhline(0.0, color="black", linewidth=0.5)
        axes.set_xlabel("m1 / m2")
        axes.set_ylabel("S [mm]")
        axes.legend(fontsize=8)

    columns = {"asymmetry": asymmetry}
    columns |= {f"S_{omega:g}_mm": values for omega, values in zip(OMEGAS, step, strict=True)}
    return Drawing(12, f"step over m1 / m2 at (m1 + m2) / 2 m0 = {DISTAL:g}", {"": columns}, draw, (8.0, 4.8))
