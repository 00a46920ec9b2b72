"""Fig. 8: what friction uncertainty costs over the phase, slow and fast."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.three_link.fast import ShapeTable
from crawler_studies.figures import BLACK, BLUE, Drawing
from crawler_studies.three_link.figures.fig04 import show_band
from crawler_studies.three_link.figures.lab import Lab, band, gait

OMEGAS = (0.3, 16.0)  # rad/s, as printed


def make(lab: Lab) -> Drawing:
    psi = np.degrees(lab.phases)
    table = ShapeTable(lab.hard, [gait(1.0, psi=phase) for phase in lab.phases])
    found = {omega: band(lab.hard, table, np.arange(len(psi)), omega) for omega in OMEGAS}
    largest = {omega: np.nanmax(steps.nominal) for omega, steps in found.items()}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for omega, colour in zip(OMEGAS, (BLUE, BLACK), strict=True):
            show_band(axes, psi, found[omega], 1.0 / largest[omega], colour, f"omega = {omega:g} rad/s")
        axes.axhline(0.0, color="black", linewidth=0.5)
        axes.set_xlabel("psi [°]")
        axes.set_ylabel("S / max S")
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)

    columns = {"psi_deg": psi}
    for omega, steps in found.items():
        columns |= steps.columns(f"{omega:g}")
    return Drawing(8, "robustness over the phase difference", {"": columns}, draw, (8.0, 4.8))
