"""Fig. 8: the gait diagram of five seconds of trot, meant and achieved."""

from __future__ import annotations

from matplotlib.figure import Figure

from crawler_models.miniaq.equations.quadruped import LEG_NAMES
from crawler_models.miniaq.prediction import forward_force
from crawler_studies.gait_analysis.gait_diagram import draw_legend, draw_run
from crawler_studies.miniaq.figures.figure_data import SECONDS, FigureData, bars
from crawler_studies.plots.drawing import Drawing


def make(data: FigureData) -> Drawing:
    walk, gait = data.trot.walk, data.trot.gait
    down, forward, meant = walk.force[..., 2] > 0.0, forward_force(walk), gait.intended(walk.times)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        draw_run(axes, walk.times, down, forward, meant, LEG_NAMES)
        draw_legend(axes, has_intended=True, has_forces=True)

    title = f"trot at 2.5 Hz, {SECONDS / gait.period:g} strides: periodic, and not the trot that is meant"
    return Drawing(8, title, {"": {"t_s": walk.times, **bars(down, forward, meant)}}, draw, (11.0, 4.0))
