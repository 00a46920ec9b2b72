"""Fig. 6: the step over phase and frequency, with the best phases."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.plots.drawing import Array, Drawing
from crawler_studies.plots.signed_colours import DIVERGING, about_zero
from crawler_studies.three_link.figures.figure_data import FigureData

LEVELS = np.arange(-20.0, 201.0, 10.0)  # mm
TO_SPEAK_OF = 1e-4  # m: where no phase makes a longer step there is no best one


def make(data: FigureData) -> Drawing:
    psi, omega, step = np.degrees(data.phases), data.omegas, 1e3 * data.map.nominal
    best = _where(psi[data.best], data.along(data.best).nominal)
    robust = _where(psi[data.best_robust], data.along(data.best_robust).robust)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        norm = about_zero(LEVELS[0], LEVELS[-1])
        filled = axes.contourf(omega, psi, step, levels=LEVELS, cmap=DIVERGING, norm=norm)
        axes.contour(omega, psi, step, levels=LEVELS, colors="0.4", linewidths=0.3)
        axes.contour(omega, psi, step, levels=[0.0], colors="black", linewidths=1.0)
        axes.plot(omega, best, "k:", linewidth=2.0, label=r"$\psi^*$, largest S")
        axes.plot(omega, robust, "k--", linewidth=1.4, label=r"$\psi^*_\mu$, largest $S_\mu$")
        axes.set_xscale("log")
        axes.set_xticks(
            [0.3, 0.5, 1, 2, 3.5, 5.1, 8, 12, 20], labels=["0.3", "0.5", "1", "2", "3.5", "5.1", "8", "12", "20"]
        )
        axes.minorticks_off()
        axes.set_xlabel("ω [rad/s]")
        axes.set_ylabel("ψ [°]")
        axes.legend(loc="upper left", fontsize=8)
        figure.colorbar(filled, ax=axes, label="S [mm], a level every 10 (black line: S = 0)", ticks=LEVELS[::2])

    grid_psi, grid_omega = np.meshgrid(psi, omega, indexing="ij")
    tables = {
        "map": {"psi_deg": grid_psi, "omega_rad_s": grid_omega, "S_mm": step},
        "best": {"omega_rad_s": omega, "psi_best_deg": best, "psi_mu_best_deg": robust},
    }
    return Drawing(6, "step over phase difference and frequency; red goes forth, blue back", tables, draw, (8.0, 5.5))


def _where(psi: Array, step: Array) -> Array:
    """The best phases, NaN where there is no step to speak of."""
    return np.where(step > TO_SPEAK_OF, psi, np.nan)
