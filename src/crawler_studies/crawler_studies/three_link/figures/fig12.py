"""Fig. 12: the step over the asymmetry of the masses at half the central mass per leg."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.plots.drawing import BLACK, BLUE, GREY, Drawing, log_scale
from crawler_studies.three_link.figures.figure_data import FigureData
from crawler_studies.three_link.figures.masses import OMEGAS, steps_of_masses

DISTAL = 0.5  # (m1 + m2) / 2 m0, as printed


def make(data: FigureData) -> Drawing:
    asymmetry = np.geomspace(0.5, 2.0, 301)
    distal = np.full(len(asymmetry), DISTAL)
    step, follow = (
        1e3 * steps_of_masses(data.hard, distal, asymmetry, OMEGAS, inertias_follow=one) for one in (False, True)
    )

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, len(OMEGAS) // 2, sharex=True).flat
        for axes, omega, values, others in zip(panels, OMEGAS, step, follow, strict=True):
            axes.plot(asymmetry, values, color=BLUE, label="inertias stay")
            axes.plot(asymmetry, others, color=GREY, linestyle="--", label="inertias follow the masses")
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.axvline(1.0, color=BLACK, linewidth=0.5, linestyle=":")
            log_scale(axes, [0.5, 0.8, 1.0, 1.25, 2.0])
            axes.set_title(f"ω = {omega:g} rad/s", fontsize=10)
        figure.axes[-1].legend(fontsize=8, loc="upper right")
        figure.supxlabel("$m_1 / m_2$ (foot 1 is the front one)")
        figure.supylabel("S [mm], each frequency on its own scale")

    columns = {"asymmetry": asymmetry}
    columns |= {f"S_{omega:g}_mm": values for omega, values in zip(OMEGAS, step, strict=True)}
    columns |= {f"S_{omega:g}_inertias_follow_mm": values for omega, values in zip(OMEGAS, follow, strict=True)}
    return Drawing(12, f"step over $m_1 / m_2$ at $(m_1 + m_2) / 2 m_0$ = {DISTAL:g}", {"": columns}, draw, (13.0, 6.0))
