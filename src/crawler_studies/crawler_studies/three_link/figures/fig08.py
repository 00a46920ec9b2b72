"""Fig. 8: what friction uncertainty costs over the phase, slow and fast."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.three_link.fast import ShapeTable
from crawler_studies.plots.drawing import BLACK, BLUE, Drawing
from crawler_studies.three_link.figures.fig04 import show_band
from crawler_studies.three_link.figures.figure_data import FigureData, band, gait

SLOW, FAST = OMEGAS = (0.3, 16.0)  # rad/s, as printed


def make(data: FigureData) -> Drawing:
    psi = np.degrees(data.phases)
    table = ShapeTable(data.hard, [gait(1.0, psi=phase) for phase in data.phases])
    found = {omega: band(data.hard, table, np.arange(len(psi)), omega) for omega in OMEGAS}
    largest = {omega: np.nanmax(steps.nominal) for omega, steps in found.items()}
    lost = 100.0 * (found[FAST].robust - found[FAST].nominal) / largest[FAST]

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3.0, 1.0))
        for omega, colour in zip(OMEGAS, (BLUE, BLACK), strict=True):
            show_band(upper, psi, found[omega], 1.0 / largest[omega], colour, f"ω = {omega:g} rad/s")
        lower.plot(psi, lost, color=BLACK, linestyle="--")
        for axes in (upper, lower):
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.grid(alpha=0.3)
        upper.set_ylabel("S / max S")
        upper.legend(fontsize=8, loc="lower center")
        lower.set_ylabel(r"$S_\mu - S$ at 16 rad/s" + "\n[% of max S]")
        lower.set_xlabel("ψ [°]")

    columns = {"psi_deg": psi}
    for omega, steps in found.items():
        columns |= steps.columns(f"{omega:g}")
    return Drawing(8, "robustness over the phase difference", {"": columns}, draw, (8.0, 6.2))
