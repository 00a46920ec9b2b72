"""Fig. 6: the step over phase and frequency, with the best phases."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.figures import Drawing
from crawler_studies.three_link.figures.lab import Lab


def make(lab: Lab) -> Drawing:
    psi, omega, step = np.degrees(lab.phases), lab.omegas, 1e3 * lab.map.nominal
    best, robust = psi[lab.best], psi[lab.best_robust]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        levels = np.concatenate((np.arange(-20.0, 60.0, 5.0), np.arange(60.0, 201.0, 20.0)))
        filled = axes.contourf(omega, psi, step, levels=levels, cmap="viridis", extend="both")
        axes.contour(omega, psi, step, levels=levels, colors="white", linewidths=0.3)
        axes.contour(omega, psi, step, levels=[0.0], colors="red", linewidths=1.0)
        axes.plot(omega, best, "k:", label="psi*, largest S")
        axes.plot(omega, robust, "b--", label="psi*_mu, largest S_mu")
        axes.set_xscale("log")
        axes.set_xlabel("omega [rad/s]")
        axes.set_ylabel("psi [°]")
        axes.legend(loc="lower right", fontsize=8)
        figure.colorbar(filled, ax=axes, label="S [mm] (red: S = 0)")

    grid_psi, grid_omega = np.meshgrid(psi, omega, indexing="ij")
    tables = {
        "map": {"psi_deg": grid_psi, "omega_rad_s": grid_omega, "S_mm": step},
        "best": {"omega_rad_s": omega, "psi_best_deg": best, "psi_mu_best_deg": robust},
    }
    return Drawing(6, "step over phase difference and frequency", tables, draw, (8.0, 5.5))
