"""Fig. 4: step and speed over frequency, at psi = 20° and at the robust phase."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_models.three_link.fast import ShapeTable
from crawler_studies.figures import BLUE, GREY, Array, Drawing
from crawler_studies.three_link.figures.lab import Band, Lab, band, gait


def make(lab: Lab) -> Drawing:
    omega = lab.omegas
    plain = band(lab.hard, ShapeTable(lab.hard, [gait(1.0)]), np.zeros(len(omega), dtype=int), omega)
    robust = lab.along(lab.best_robust)
    cases = {"psi = 20°": (plain, BLUE), "psi = psi*_mu(omega)": (robust, GREY)}

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        for axes, factor in ((upper, np.full(len(omega), 1e3)), (lower, 1e3 * omega / (2.0 * np.pi))):
            for label, (found, colour) in cases.items():
                show_band(axes, omega, found, factor, colour, label)
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.grid(alpha=0.3)
        upper.set_ylabel("(a) S [mm]")
        lower.set_ylabel("(b) V [mm/s]")
        lower.set_xlabel("omega [rad/s]")
        lower.set_xlim(0.0, omega[-1])
        upper.legend(fontsize=8)

    columns = {"omega_rad_s": omega}
    for name, found in (("psi20", plain), ("psi_mu", robust)):
        columns |= found.columns(name)
    return Drawing(4, "step and mean velocity over frequency", {"": columns}, draw, (8.0, 7.0))


def show_band(axes: Axes, x: Array, found: Band, factor: Array | float, colour: str, label: str) -> None:
    """Nominal (solid), range (shade) and S_mu (dashed)."""
    axes.plot(x, factor * found.nominal, color=colour, label=f"S, {label}")
    axes.fill_between(x, factor * found.low, factor * found.high, color=colour, alpha=0.2, linewidth=0.0)
    axes.plot(x, factor * found.robust, color=colour, linestyle="--", label=f"S_mu, {label}")
