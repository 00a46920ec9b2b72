"""Fig. 4: step and speed over frequency, at psi = 20° and at the robust phase."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_models.three_link.fast import ShapeTable
from crawler_studies.plots.drawing import BLUE, GREY, Array, Drawing
from crawler_studies.three_link.figures.fig05 import OMEGAS
from crawler_studies.three_link.figures.figure_data import HIGHEST, LOWEST, Band, FigureData, band, gait


def make(data: FigureData) -> Drawing:
    omega = data.omegas
    table = ShapeTable(data.hard, [gait(1.0)])
    plain = band(data.hard, table, np.zeros(len(omega), dtype=int), omega)
    robust = data.along(data.best_robust)
    cases = {"ψ = 20°": (plain, BLUE), r"$\psi = \psi^*_\mu(\omega)$": (robust, GREY)}
    speed = 1e3 * omega / (2.0 * np.pi)
    edges = range_edges(data, table)

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        for axes, factor in ((upper, np.full(len(omega), 1e3)), (lower, speed)):
            for label, (found, colour) in cases.items():
                show_band(axes, omega, found, factor, colour, label)
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.grid(alpha=0.3)
            for edge in edges:
                axes.axvline(edge, color="black", linewidth=0.8, linestyle=":")
        middles = (0.5 * edges[0], 0.5 * sum(edges), 0.5 * (edges[1] + omega[-1]))
        for name, middle in zip(("I", "II", "III"), middles, strict=True):
            upper.text(middle, 0.93, name, transform=upper.get_xaxis_transform(), ha="center", fontsize=11)
        for shown in OMEGAS:  # as the paper's arrows: the frequencies of Fig. 5
            lower.annotate(
                "",
                (shown, float(np.interp(shown, omega, speed * plain.nominal))),
                xytext=(0, 26),
                textcoords="offset points",
                arrowprops={"arrowstyle": "->"},
            )
        upper.set_ylabel("(a) S [mm]")
        lower.set_ylabel("(b) V [mm/s]")
        lower.set_xlabel("ω [rad/s]")
        lower.set_xlim(0.0, omega[-1])
        upper.legend(fontsize=8, loc="upper right", bbox_to_anchor=(1.0, 0.9))

    columns = {"omega_rad_s": omega}
    for name, found in (("psi20", plain), ("psi_mu", robust)):
        columns |= found.columns(name)
    title = f"step and mean velocity over frequency; V peaks at {edges[0]:.2f} and bottoms at {edges[1]:.2f} rad/s"
    return Drawing(4, title, {"": columns}, draw, (8.0, 7.0))


def range_edges(data: FigureData, table: ShapeTable) -> tuple[float, float]:
    """Where ranges I, II and III meet, rad/s: the speed's first maximum and the minimum after it."""
    omega = np.arange(LOWEST, HIGHEST, 0.01)
    speed = table.crawl(np.zeros(len(omega), dtype=int), omega, data.hard.mu1, data.hard.mu2, data.hard.g).speed
    peak = int(np.argmax(np.diff(speed) < 0.0))
    bottom = peak + int(np.argmax(np.diff(speed[peak:]) > 0.0))
    return float(omega[peak]), float(omega[bottom])


def show_band(axes: Axes, x: Array, found: Band, factor: Array | float, colour: str, label: str) -> None:
    """Nominal (solid, pale so that the other shows where they coincide), range (shade) and S_mu (dashed)."""
    axes.plot(x, factor * found.nominal, color=colour, linewidth=2.6, alpha=0.5, label=f"S, {label}")
    axes.fill_between(x, factor * found.low, factor * found.high, color=colour, alpha=0.2, linewidth=0.0)
    axes.plot(x, factor * found.robust, color=colour, linestyle="--", label=rf"$S_\mu$, {label}")
