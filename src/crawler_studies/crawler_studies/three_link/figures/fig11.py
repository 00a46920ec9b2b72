"""Fig. 11: the step over the distribution of the masses."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.figures import Drawing
from crawler_studies.three_link.figures.lab import Lab
from crawler_studies.three_link.figures.masses import steps_of_masses

OMEGAS = (0.3, 1.0, 3.2, 8.0, 12.0, 16.0)  # rad/s


def make(lab: Lab) -> Drawing:
    asymmetry = np.geomspace(0.5, 2.0, 81)
    distal = np.linspace(0.05, 1.0, 60)
    grid_distal, grid_asymmetry = np.meshgrid(distal, asymmetry, indexing="ij")
    step = 1e3 * steps_of_masses(lab.hard, grid_distal, grid_asymmetry, OMEGAS)

    def draw(figure: Figure) -> None:
        for axes, omega, values in zip(figure.subplots(2, 3, sharex=True, sharey=True).flat, OMEGAS, step, strict=True):
            shown = axes.pcolormesh(asymmetry, distal, values, cmap="viridis", shading="nearest", rasterized=True)
            if np.nanmin(values) < 0.0 < np.nanmax(values):
                axes.contour(asymmetry, distal, values, levels=[0.0], colors="red", linewidths=0.8)
            axes.set_xscale("log")
            axes.set_xticks([0.5, 0.8, 1.0, 1.25, 2.0], labels=["0.5", "0.8", "1", "1.25", "2"])
            axes.minorticks_off()
            axes.set_facecolor("0.7")
            axes.set_title(f"omega = {omega:g} rad/s", fontsize=10)
            figure.colorbar(shown, ax=axes)
        figure.supxlabel("m1 / m2")
        figure.supylabel("(m1 + m2) / 2 m0")

    columns = {"distal_ratio": grid_distal, "asymmetry": grid_asymmetry}
    columns |= {f"S_{omega:g}_mm": values for omega, values in zip(OMEGAS, step, strict=True)}
    return Drawing(11, "S [mm] over the masses (red: S = 0; grey: no valid gait)", {"": columns}, draw, (12.0, 6.5))
