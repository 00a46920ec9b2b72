"""Fig. 14: contacts' velocities with and without feedback."""

from __future__ import annotations

from matplotlib.figure import Figure

from crawler_models.three_link import crawl
from crawler_studies.plots.drawing import BLACK, BLUE, Drawing
from crawler_studies.three_link.figures.fig13 import OMEGA, with_feedback
from crawler_studies.three_link.figures.figure_data import FigureData, gait


def make(data: FigureData) -> Drawing:
    closed = with_feedback(data).samples
    assert closed is not None
    plain = crawl(data.hard, gait(OMEGA)).samples(721)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for foot, (colour, v) in enumerate(((BLUE, plain.v1), (BLACK, plain.v2))):
            axes.plot(closed.t, -1e3 * closed.v[:, foot], color=colour, label=f"foot {foot + 1}, feedback")
            axes.plot(plain.t, -1e3 * v, color=colour, linestyle="--", label=f"foot {foot + 1}, prescribed angles")
        axes.axhline(0.0, color="black", linewidth=0.5)
        axes.set_xlabel("t [s]")
        axes.set_ylabel("velocity, forwards [mm/s]")
        axes.legend(fontsize=8)

    tables = {
        "feedback": {"t_s": closed.t, "v1_mm_s": -1e3 * closed.v[:, 0], "v2_mm_s": -1e3 * closed.v[:, 1]},
        "prescribed": {"t_s": plain.t, "v1_mm_s": -1e3 * plain.v1, "v2_mm_s": -1e3 * plain.v2},
    }
    return Drawing(14, f"contacts' velocities with and without feedback, {OMEGA:g} rad/s", tables, draw, (8.0, 4.5))
