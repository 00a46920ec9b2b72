"""Fig. 5: the contacts' velocities over a cycle at one frequency of each range."""

from __future__ import annotations

from matplotlib.figure import Figure

from crawler_models.three_link import crawl
from crawler_studies.plots.drawing import BLACK, BLUE, Drawing
from crawler_studies.three_link.figures.figure_data import FigureData, gait

OMEGAS = (0.3, 5.1, 16.0)  # rad/s, as printed


def make(data: FigureData) -> Drawing:
    cycles = {omega: crawl(data.hard, gait(omega)).samples(721) for omega in OMEGAS}

    def draw(figure: Figure) -> None:
        for axes, name, (omega, cycle) in zip(figure.subplots(1, 3), ("I", "II", "III"), cycles.items(), strict=True):
            axes.plot(cycle.t, -1e3 * cycle.v1, color=BLUE, label="foot 1")
            axes.plot(cycle.t, -1e3 * cycle.v2, color=BLACK, label="foot 2")
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.set_title(f"{name}: ω = {omega:g} rad/s", fontsize=10)
            axes.set_xlabel("t [s]")
        figure.axes[0].set_ylabel("velocity, forwards [mm/s]")
        figure.axes[0].legend(fontsize=8)

    tables = {
        f"omega{omega:g}": {"t_s": c.t, "v1_mm_s": -1e3 * c.v1, "v2_mm_s": -1e3 * c.v2} for omega, c in cycles.items()
    }
    return Drawing(5, "contacts' velocities, one frequency of each range", tables, draw, (11.0, 3.8))
