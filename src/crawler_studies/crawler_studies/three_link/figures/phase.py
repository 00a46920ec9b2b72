"""Figs. 6 and 8: the step over the phase difference, and the cost of uncertain friction there."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.plots.drawing import BLACK, BLUE, Array, Drawing, log_scale
from crawler_studies.plots.signed_colours import DIVERGING, diverging_scale
from crawler_studies.three_link.figures.figure_data import FigureData, band, gait

LEVELS_MM = np.arange(-20.0, 201.0, 10.0)
MIN_STEP_M = 1e-4  # where no phase makes a longer step there is no best one
SLOW, FAST = SLOW_FAST = (0.3, 16.0)  # rad/s, as printed


def draw_fig06(data: FigureData) -> Drawing:
    psi, omega, step = np.degrees(data.phases), data.omegas, 1e3 * data.map.nominal
    best = _best_phases(psi[data.best], data.along(data.best).nominal)
    robust = _best_phases(psi[data.best_robust], data.along(data.best_robust).robust)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        norm = diverging_scale(LEVELS_MM[0], LEVELS_MM[-1])
        filled = axes.contourf(omega, psi, step, levels=LEVELS_MM, cmap=DIVERGING, norm=norm)
        axes.contour(omega, psi, step, levels=LEVELS_MM, colors="0.4", linewidths=0.3)
        axes.contour(omega, psi, step, levels=[0.0], colors="black", linewidths=1.0)
        axes.plot(omega, best, "k:", linewidth=2.0, label=r"$\psi^*$, largest S")
        axes.plot(omega, robust, "k--", linewidth=1.4, label=r"$\psi^*_\mu$, largest $S_\mu$")
        log_scale(axes, [0.3, 0.5, 1, 2, 3.5, 5.1, 8, 12, 20])
        axes.set_xlabel("ω [rad/s]")
        axes.set_ylabel("ψ [°]")
        axes.legend(loc="upper left", fontsize=8)
        figure.colorbar(filled, ax=axes, label="S [mm], a level every 10 (black line: S = 0)", ticks=LEVELS_MM[::2])

    grid_psi, grid_omega = np.meshgrid(psi, omega, indexing="ij")
    tables = {
        "map": {"psi_deg": grid_psi, "omega_rad_s": grid_omega, "S_mm": step},
        "best": {"omega_rad_s": omega, "psi_best_deg": best, "psi_mu_best_deg": robust},
    }
    return Drawing(6, "step over phase difference and frequency; red goes forth, blue back", tables, draw, (8.0, 5.5))


def _best_phases(psi: Array, step: Array) -> Array:
    """Return the best phases, NaN where there is hardly a step."""
    return np.where(step > MIN_STEP_M, psi, np.nan)


def draw_fig08(data: FigureData) -> Drawing:
    psi = np.degrees(data.phases)
    table = ShapeTable(data.hard, [gait(1.0, psi=phase) for phase in data.phases])
    found = {omega: band(data.hard, table, np.arange(len(psi)), omega) for omega in SLOW_FAST}
    largest = {omega: np.nanmax(steps.nominal) for omega, steps in found.items()}
    lost = 100.0 * (found[FAST].robust - found[FAST].nominal) / largest[FAST]

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3.0, 1.0))
        for omega, colour in zip(SLOW_FAST, (BLUE, BLACK), strict=True):
            found[omega].draw(upper, psi, 1.0 / largest[omega], colour, f"ω = {omega:g} rad/s")
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
