"""Figs. 11 and 12: the step over the masses of the distal links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from crawler_models.three_link import ThreeLink
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, Drawing, log_scale
from crawler_studies.plots.signed_colours import DIVERGING, diverging_scale
from crawler_studies.three_link.figures.figure_data import FigureData, gait

MASS_OMEGAS = (0.3, 1.0, 3.2, 4.5, 5.1, 6.5, 8.0, 16.0)  # rad/s; the paper does not list those of its Figs. 11 and 12
MAX_COLOUR_BANDS = 16
DISTAL_RATIO = 0.5  # (m1 + m2) / 2 m0, as printed


def steps_of_masses(
    robot: ThreeLink, distal: ArrayLike, asymmetry: ArrayLike, omegas: ArrayLike, *, inertias_follow: bool = False
) -> NDArray[np.float64]:
    """Return step lengths (m), the first axis over ``omegas``, the others over (m1 + m2) / 2 m0 and m1 / m2.

    The lengths stay. The distal links' inertias stay too, as of weights in the middles, or follow their masses.
    """
    distal, asymmetry = np.broadcast_arrays(distal, asymmetry)
    m2 = 2.0 * distal * robot.m0 / (1.0 + asymmetry)
    m1 = asymmetry * m2
    robots = []
    for a, b in zip(m1.ravel().tolist(), m2.ravel().tolist(), strict=True):
        follow = {"J1": robot.J1 * a / robot.m1, "J2": robot.J2 * b / robot.m2} if inertias_follow else {}
        robots.append(replace(robot, m1=a, m2=b, **follow))
    table = ShapeTable(robots, [gait(1.0)] * len(robots))
    frequencies = np.asarray(omegas, dtype=float)
    which, omega = np.meshgrid(np.arange(len(robots)), frequencies, indexing="ij")
    found = table.crawl(which, omega, robot.mu1, robot.mu2, robot.g).step_length
    return found.T.reshape(len(frequencies), *distal.shape)


def draw_fig11(data: FigureData) -> Drawing:
    asymmetry = np.geomspace(0.5, 2.0, 81)
    distal = np.linspace(0.05, 1.0, 60)
    grid_distal, grid_asymmetry = np.meshgrid(distal, asymmetry, indexing="ij")
    step = 1e3 * steps_of_masses(data.hard, grid_distal, grid_asymmetry, MASS_OMEGAS)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, len(MASS_OMEGAS) // 2, sharex=True, sharey=True).flat
        for axes, omega, values in zip(panels, MASS_OMEGAS, step, strict=True):
            # what a solver leaves of no step at all has no sign
            shown = np.where(np.abs(values) < 1e-4, 0.0, values)
            low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
            levels = MaxNLocator(MAX_COLOUR_BANDS).tick_values(low, high)
            norm = diverging_scale(low, high)
            filled = axes.contourf(asymmetry, distal, shown, levels=levels, cmap=DIVERGING, norm=norm)
            if low < 0.0 < high:
                axes.contour(asymmetry, distal, shown, levels=[0.0], colors="black", linewidths=0.9)
            log_scale(axes, [0.5, 0.8, 1.0, 1.25, 2.0])
            axes.set_facecolor("0.7")
            axes.set_title(f"ω = {omega:g} rad/s", fontsize=10)
            figure.colorbar(filled, ax=axes, ticks=MaxNLocator(6).tick_values(low, high))
        figure.supxlabel("$m_1 / m_2$")
        figure.supylabel("$(m_1 + m_2) / 2 m_0$")

    columns = {"distal_ratio": grid_distal, "asymmetry": grid_asymmetry}
    columns |= {f"S_{omega:g}_mm": values for omega, values in zip(MASS_OMEGAS, step, strict=True)}
    title = "S [mm] over the masses (red: forth, blue: back, black line: S = 0; grey: no valid gait)"
    return Drawing(11, title, {"": columns}, draw, (14.0, 6.5))


def draw_fig12(data: FigureData) -> Drawing:
    asymmetry = np.geomspace(0.5, 2.0, 301)
    distal = np.full(len(asymmetry), DISTAL_RATIO)
    step, follow = (
        1e3 * steps_of_masses(data.hard, distal, asymmetry, MASS_OMEGAS, inertias_follow=one) for one in (False, True)
    )

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, len(MASS_OMEGAS) // 2, sharex=True).flat
        for axes, omega, values, others in zip(panels, MASS_OMEGAS, step, follow, strict=True):
            axes.plot(asymmetry, values, color=BLUE, label="inertias stay")
            axes.plot(asymmetry, others, color=GREY, linestyle="--", label="inertias follow the masses")
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.axvline(1.0, color=BLACK, linewidth=0.5, linestyle=":")
            log_scale(axes, [0.5, 0.8, 1.0, 1.25, 2.0])
            axes.set_title(f"ω = {omega:g} rad/s", fontsize=10)
        figure.axes[-1].legend(fontsize=8, loc="upper right")
        figure.supxlabel("$m_1 / m_2$ (foot 1 is the front one)")
        figure.supylabel("S [mm], each frequency on its own scale")

    columns = {"asymmetry": asymmetry}
    columns |= {f"S_{omega:g}_mm": values for omega, values in zip(MASS_OMEGAS, step, strict=True)}
    columns |= {f"S_{omega:g}_inertias_follow_mm": values for omega, values in zip(MASS_OMEGAS, follow, strict=True)}
    return Drawing(
        12, f"step over $m_1 / m_2$ at $(m_1 + m_2) / 2 m_0$ = {DISTAL_RATIO:g}", {"": columns}, draw, (13.0, 6.0)
    )
