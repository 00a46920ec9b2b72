"""Fig. 7: the direction reverses with frequency and with the nominal angle (soft tips)."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_studies.plots.drawing import BLUE, Array, Drawing
from crawler_studies.three_link.figures.figure_data import LOWEST, FigureData, gait, steps

PHI0 = 145.0  # °, of (a)
OMEGA = 9.0  # rad/s, of (b)


def draw_fig07(data: FigureData) -> Drawing:
    omega = np.linspace(LOWEST, 20.0, 400)
    over_omega = 1e3 * steps(data.soft, [gait(1.0, phi0=np.radians(PHI0))] * len(omega), omega)
    phi0 = np.arange(90.0, 155.01, 0.5)
    over_phi0 = 1e3 * steps(data.soft, [gait(1.0, phi0=np.radians(angle)) for angle in phi0], OMEGA)

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        left.plot(omega, over_omega, color=BLUE)
        left.set_xlabel("ω [rad/s]")
        left.set_ylabel("S [mm]")
        left.set_title(rf"(a) $\varphi_0$ = {PHI0:g}°", fontsize=10)
        right.plot(phi0, over_phi0, color=BLUE)
        right.set_xlabel(r"$\varphi_0$ [°]")
        right.set_title(f"(b) ω = {OMEGA:g} rad/s", fontsize=10)
        for axes, x, y in ((left, omega, over_omega), (right, phi0, over_phi0)):
            axes.axhline(0.0, color="black", linewidth=0.5)
            shade_invalid(axes, x, y)

    tables = {
        "a": {"omega_rad_s": omega, "S_mm": over_omega},
        "b": {"phi0_deg": phi0, "S_mm": over_phi0},
    }
    return Drawing(7, "direction reversal (soft tips; grey: contact is lost)", tables, draw, (10.0, 4.2))


def shade_invalid(axes: Axes, x: Array, y: Array) -> None:
    """Grey where there is no gait."""
    axes.fill_between(x, 0.0, 1.0, where=np.isnan(y), color="0.85", transform=axes.get_xaxis_transform(), linewidth=0.0)
    axes.grid(alpha=0.3)
