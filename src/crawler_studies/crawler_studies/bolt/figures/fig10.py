"""Fig. 10: frames of the run, 0.03 s apart."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_models.bolt.equations.six_bar import pins
from crawler_models.bolt.runs.hybrid_run import Mode
from crawler_studies.bolt.figures.figure_data import FigureData
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, RED, Drawing

EVERY = 0.03  # s, as in the paper
FRAMES = 11
PITCH = 0.30  # m between two frames on the page, beside the way that the leg has gone: they would cover each other
AT_STRIDE = 12  # a steady one


def make(data: FigureData) -> Drawing:
    run = data.run
    begin = float(run.lift_off[AT_STRIDE])
    times = begin + EVERY * np.arange(FRAMES)
    rows = np.searchsorted(run.t, times)
    q1, x_b, y_b = run.q[rows].T
    on_ground = run.mode[rows] != Mode.FLIGHT
    table = {
        "t_s": times - begin,
        "q1_deg": np.degrees(q1),
        "x_b_m": x_b - x_b[0],
        "y_b_m": y_b,
        "foot_x_m": run.foot[rows, 0] - x_b[0],
        "foot_y_m": run.foot[rows, 1],
    }

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for k in range(FRAMES):
            shift = PITCH * k + x_b[k] - x_b[0] + 1j * y_b[k]
            frame(axes, data, float(q1[k]), shift, bool(on_ground[k]))
            text = f"{1e3 * table['t_s'][k]:.0f} ms\nx = {table['x_b_m'][k]:.2f} m"
            axes.text(PITCH * k + x_b[k] - x_b[0] + 0.06, 0.56, text, ha="center", fontsize=7)
        axes.axhline(0.0, color=BLACK, linewidth=1.0)
        axes.set_aspect("equal")
        axes.set(ylabel="height [m]", ylim=(-0.03, 0.64))
        axes.set_xticks([])
        axes.set_xlabel(
            f"the frames stand {PITCH:g} m farther apart than the leg has gone; red: the foot is on the ground"
        )

    title = f"one stride of the paper's run, {1e3 * EVERY:.0f} ms between frames"
    return Drawing(10, title, {"": table}, draw, (14.0, 3.0))


def frame(axes: Axes, data: FigureData, q1: float, shift: complex, on_ground: bool) -> None:
    """The leg with its crank's axis at `shift` on the page."""
    p = pins(data.leg, q1)
    for chain, colour, width in (
        ((0.0, p.A), BLACK, 2.0),
        ((p.A, p.E, p.F), GREY, 2.5),
        ((p.D, p.B), BLUE, 1.5),
        ((p.C, p.G), BLUE, 1.5),
        ((0.0, p.D), RED, 2.0),
    ):
        points = np.array(chain) + shift
        axes.plot(points.real, points.imag, color=colour, linewidth=width, solid_capstyle="round")
    foot = p.F + shift
    axes.plot(foot.real, foot.imag, "o", color=RED if on_ground else GREY, markersize=4)
