"""Fig. 9: the best phases over frequency, for S and for S_mu, and the best time scalings."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.plots.drawing import BLACK, BLUE, PURPLE, Drawing
from crawler_studies.three_link.figures.fig04 import show_band
from crawler_studies.three_link.figures.figure_data import HIGHEST, LOWEST, FigureData
from crawler_studies.three_link.figures.time_scaling import Scaled, best_scaling

SCALED = 24  # frequencies with time scaling


def make(data: FigureData) -> Drawing:
    omega = data.omegas
    nominal, robust = data.along(data.best), data.along(data.best_robust)
    few = np.geomspace(LOWEST, HIGHEST, SCALED)
    scaled: dict[bool, list[Scaled]] = {False: [], True: []}
    for kind, found in scaled.items():
        for w in few:
            found.append(best_scaling(data.hard, w, robust=kind, near=found[-1] if found else None))
    lines = {kind: 1e3 * np.array([one.value for one in found]) for kind, found in scaled.items()}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        show_band(axes, omega, nominal, 1e3, BLUE, r"$\psi^*(\omega)$")
        show_band(axes, omega, robust, 1e3, BLACK, r"$\psi^*_\mu(\omega)$")
        axes.plot(few, lines[False], color=PURPLE, label="S, with time scaling for S")
        axes.plot(few, lines[True], color=PURPLE, linestyle="--", label=r"$S_\mu$, with time scaling for $S_\mu$")
        axes.set_xscale("log")
        axes.set_xlabel("ω [rad/s]")
        axes.set_ylabel("S [mm]")
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)

    columns = {"omega_rad_s": omega}
    for name, steps in (("psi_best", nominal), ("psi_mu_best", robust)):
        columns |= steps.columns(name)
    scaling = {"omega_rad_s": few}
    for kind, name in ((False, "S"), (True, "S_mu")):
        scaling |= {
            f"{name}_mm": lines[kind],
            f"psi_deg_for_{name}": np.degrees([one.psi for one in scaled[kind]]),
            f"alpha_for_{name}": np.array([one.alpha for one in scaled[kind]]),
            f"upsilon_deg_for_{name}": np.degrees([one.upsilon for one in scaled[kind]]),
        }
    return Drawing(9, "optimised steps over frequency", {"phases": columns, "scaling": scaling}, draw, (8.5, 5.5))
