"""The cost of wrong friction: at both feet alike, which the paper does not show, and at one more than the other."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.evaluators.friction_sets import DEFAULT_SPREAD
from crawler_studies.plots.drawing import BLUE, ORANGE, Drawing, log_scale
from crawler_studies.three_link.figures.figure_data import Band, FigureData, band, gait

FRICTION_SAMPLES = 33
MIN_STEP_M = 2e-3  # a share of a shorter step means nothing


def draw_friction(data: FigureData) -> Drawing:
    omega = data.omegas
    table = ShapeTable(data.hard, [gait(1.0)])
    which = np.zeros(len(omega), dtype=int)
    scale = np.linspace(1.0 - DEFAULT_SPREAD, 1.0 + DEFAULT_SPREAD, FRICTION_SAMPLES)[:, np.newaxis]
    steps = table.crawl(which, omega, scale * data.hard.mu1, scale * data.hard.mu2, data.hard.g).step_length
    alike = Band(steps[FRICTION_SAMPLES // 2], steps.min(axis=0), steps.max(axis=0))
    apart = band(data.hard, table, which, omega)
    step = np.where(np.abs(alike.nominal) > MIN_STEP_M, alike.nominal, np.nan)
    share = {name: 100.0 * steps[k] / step - 100.0 for name, k in (("less", 0), ("more", -1))}

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        apart.draw(left, omega, 1e3, BLUE, r"$\mu_{1,2} = (1 \pm e/2, 1 \mp e/2) \mu$, |e| ≤ 0.1")
        alike.draw(left, omega, 1e3, ORANGE, "both frictions off by up to 10 %")
        left.set_ylabel("S [mm]")
        right.plot(omega, share["less"], color=ORANGE, linestyle="--", label="both frictions 10 % less")
        right.plot(omega, share["more"], color=ORANGE, label="both frictions 10 % more")
        right.set_ylabel("change of S [%], where S is over 2 mm")
        right.set_ylim(-60.0, 60.0)
        for axes in (left, right):
            axes.axhline(0.0, color="black", linewidth=0.5)
            log_scale(axes, [0.3, 0.5, 1, 2, 3.2, 5, 8, 12, 20])
            axes.set_xlabel("ω [rad/s]")
            axes.legend(fontsize=8)
            axes.grid(alpha=0.3)

    columns = {"omega_rad_s": omega, **apart.columns("apart"), **alike.columns("alike")}
    columns |= {f"change_{name}_percent": values for name, values in share.items()}
    return Drawing(
        "friction", "friction that is off, at both feet alike and apart; ψ = 20°", {"": columns}, draw, (12.0, 4.6)
    )
