"""Figs. 8 and 9: the gait diagram of the trot, over five seconds and over one steady stride."""

from __future__ import annotations

from matplotlib.figure import Figure

from crawler_models.miniaq.equations.quadruped import LEG_NAMES
from crawler_models.miniaq.prediction import footfall_of, forward_force
from crawler_models.miniaq.walks.steady_walk import SAMPLES_PER_STRIDE
from crawler_studies.gait_analysis.gait_diagram import draw_cycle, draw_legend, draw_run
from crawler_studies.miniaq.figures.figure_data import WALK_TIME_S, FigureData, diagram_columns
from crawler_studies.plots.drawing import Drawing


def draw_fig08(data: FigureData) -> Drawing:
    walk, gait = data.trot.walk, data.trot.gait
    down, forward, meant = walk.force[..., 2] > 0.0, forward_force(walk), gait.intended(walk.times)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        draw_run(axes, walk.times, down, forward, meant, LEG_NAMES)
        draw_legend(axes, has_intended=True, has_forces=True)

    title = f"trot at 2.5 Hz, {WALK_TIME_S / gait.period:g} strides: periodic, and not the trot that is meant"
    return Drawing(8, title, {"": {"t_s": walk.times, **diagram_columns(down, forward, meant)}}, draw, (11.0, 4.0))


def draw_fig09(data: FigureData) -> Drawing:
    steady, gait = data.steady_trot, data.trot.gait
    walk = steady.walk
    times = steady.begin + walk.times - walk.times[0]
    down, forward, meant = walk.force[..., 2] > 0.0, forward_force(walk), gait.intended(times)
    feet = footfall_of(gait, steady)
    front, hind = feet.backward_share[:2].mean(), feet.backward_share[2:].mean()
    three_down = feet.share_with_at_least(3)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        draw_cycle(axes, times, down, forward, meant, LEG_NAMES, times[::SAMPLES_PER_STRIDE])
        draw_legend(axes, has_intended=True, has_forces=True)

    title = (
        f"three feet or more are down for {100 * three_down:.0f} % of a stride, where trot means two;\n"
        f"hind feet are dragged for {100 * hind:.0f} % of it, front feet for {100 * front:.0f} %"
    )
    table = {"phase": (times - times[0]) / gait.period, **diagram_columns(down, forward, meant)}
    return Drawing(9, title, {"": table}, draw, (10.0, 4.5))
