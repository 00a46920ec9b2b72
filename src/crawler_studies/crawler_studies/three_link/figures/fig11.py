"""Fig. 11: the step over the distribution of the masses."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from crawler_studies.plots.drawing import Drawing, log_scale
from crawler_studies.plots.signed_colours import DIVERGING, about_zero
from crawler_studies.three_link.figures.figure_data import FigureData
from crawler_studies.three_link.figures.masses import OMEGAS, steps_of_masses

BANDS = 16  # of colour, at most


def make(data: FigureData) -> Drawing:
    asymmetry = np.geomspace(0.5, 2.0, 81)
    distal = np.linspace(0.05, 1.0, 60)
    grid_distal, grid_asymmetry = np.meshgrid(distal, asymmetry, indexing="ij")
    step = 1e3 * steps_of_masses(data.hard, grid_distal, grid_asymmetry, OMEGAS)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, len(OMEGAS) // 2, sharex=True, sharey=True).flat
        for axes, omega, values in zip(panels, OMEGAS, step, strict=True):
            # what a solver leaves of no step at all has no sign
            shown = np.where(np.abs(values) < 1e-4, 0.0, values)
            low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
            levels = MaxNLocator(BANDS).tick_values(low, high)
            norm = about_zero(low, high)
            filled = axes.contourf(asymmetry, distal, shown, levels=levels, cmap=DIVERGING, norm=norm)
            if low < 0.0 < high:
                axes.contour(asymmetry, distal, shown, levels=[0.0], colors="black", linewidths=0.9)
            log_scale(axes, [0.5, 0.8, 1.0, 1.25, 2.0])
            axes.set_facecolor("0.7")
            axes.set_title(f"ω = {omega:g} rad/s", fontsize=10)
            figure.colorbar(filled, ax=axes, ticks=MaxNLocator(6).tick_values(low, high))
        figure.supxlabel("$m_1 / m_2$")
        figure.supylabel("$(m_1 + m_2) / 2 m_0$")

    columns = {"distal_ratio": grid_distal, "asymmetry": grid_asymmetry}
    columns |= {f"S_{omega:g}_mm": values for omega, values in zip(OMEGAS, step, strict=True)}
    title = "S [mm] over the masses (red: forth, blue: back, black line: S = 0; grey: no valid gait)"
    return Drawing(11, title, {"": columns}, draw, (14.0, 6.5))
