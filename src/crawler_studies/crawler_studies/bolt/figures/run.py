"""Figs. 10 to 14 and 16: the paper's run, by its frames, constraint errors, body, crank and angles."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_models.bolt.equations.six_bar import passive_angles, pins
from crawler_models.bolt.simulation.hybrid_run import Mode
from crawler_studies.bolt.figures.figure_data import GROUND_TIME_LABEL, STRIDES, FigureData, shade_stance, wrap_degrees
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, PURPLE, RED, Drawing

FRAME_PERIOD_S = 0.03  # as in the paper
FRAME_COUNT = 11
FRAME_DISTANCE_M = 0.30  # on the page, beside the leg's own way: they would cover each other
SHOWN_STRIDE = 12  # a steady one
START_ERROR_RAD = 0.05  # of every passive angle
ERROR_TIME_S = 1.0
EPSILONS_S = (1e-3, 1e-2)  # the slower one shows that the decay is by epsilon alone
ROUNDING_M = 1e-18
SHOWN_TIME_S = 2.0
ANGLE_NAMES = ("HFE link", "KFE link", "hip", "knee")
SHORT_TIME_S = 1.2
PRINTED_STRIDE_MS, EXPERIMENT_STRIDE_MS = 284, 315  # in the paper


def draw_fig10(data: FigureData) -> Drawing:
    run = data.run
    begin = float(run.lift_off[SHOWN_STRIDE])
    times = begin + FRAME_PERIOD_S * np.arange(FRAME_COUNT)
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
        for k in range(FRAME_COUNT):
            shift = FRAME_DISTANCE_M * k + x_b[k] - x_b[0] + 1j * y_b[k]
            draw_frame(axes, data, float(q1[k]), shift, bool(on_ground[k]))
            text = f"{1e3 * table['t_s'][k]:.0f} ms\nx = {table['x_b_m'][k]:.2f} m"
            axes.text(FRAME_DISTANCE_M * k + x_b[k] - x_b[0] + 0.06, 0.56, text, ha="center", fontsize=7)
        axes.axhline(0.0, color=BLACK, linewidth=1.0)
        axes.set_aspect("equal")
        axes.set(ylabel="height [m]", ylim=(-0.03, 0.64))
        axes.set_xticks([])
        axes.set_xlabel(
            f"the frames stand {FRAME_DISTANCE_M:g} m farther apart than the leg has gone; "
            "red: the foot is on the ground"
        )

    title = f"one stride of the paper's run, {1e3 * FRAME_PERIOD_S:.0f} ms between frames"
    return Drawing(10, title, {"": table}, draw, (14.0, 3.0))


def draw_frame(axes: Axes, data: FigureData, q1: float, shift: complex, on_ground: bool) -> None:
    """Draw the leg with its crank's axis at `shift` on the page."""
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


def draw_fig11(data: FigureData) -> Drawing:
    start = data.inconsistent_start(START_ERROR_RAD)
    strides = 4
    fast, slow = (data.simulate(start, strides, 2e-4, epsilon=epsilon) for epsilon in EPSILONS_S)
    tables = {
        name: {"t_s": run.t, "mode": run.mode.astype(float), **{f"w_{k + 1}_m": run.w[:, k] for k in range(4)}}
        for name, run in (("1ms", fast), ("10ms", slow))
    }

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        shade_stance(axes, slow, ERROR_TIME_S)
        for k, colour in enumerate((BLUE, RED, PURPLE, BLACK)):
            axes.plot(slow.t, 1e3 * slow.w[:, k], color=colour, label=f"w_{k + 1}, epsilon = 10 ms")
            axes.plot(fast.t, 1e3 * fast.w[:, k], "--", color=colour, linewidth=0.9)
        axes.plot([], [], "--", color=GREY, label="the same, epsilon = 1 ms")
        axes.set(xlabel=GROUND_TIME_LABEL, ylabel="error of the constraint [mm]")
        axes.set_xlim(0.0, ERROR_TIME_S)
        axes.legend(fontsize=8, loc="lower right")
        inset = axes.inset_axes((0.36, 0.40, 0.60, 0.54))
        for run, epsilon, style, what in ((slow, EPSILONS_S[1], "-", "10 ms"), (fast, EPSILONS_S[0], "--", "1 ms")):
            size = np.linalg.norm(run.w, axis=1)
            inset.semilogy(run.t, np.maximum(size, ROUNDING_M), style, color=BLUE, label=f"|w|, epsilon = {what}")
            inset.semilogy(run.t, np.maximum(size[0] * np.exp(-run.t / epsilon), ROUNDING_M), ":", color=GREY, lw=2.0)
        inset.plot([], [], ":", color=GREY, lw=2.0, label="|w(0)| exp(-t / epsilon)")
        inset.set_xlim(0.0, 0.5)
        inset.set_ylim(1e-17, 1.0)
        inset.set_xlabel("t [s]", fontsize=8)
        inset.set_ylabel("|w| [m]", fontsize=8)
        inset.tick_params(labelsize=8)
        inset.legend(fontsize=8)
        inset.grid(alpha=0.3)

    title = f"the constraint errors, every passive angle {np.degrees(START_ERROR_RAD):.1f}° off at the start"
    return Drawing(11, title, tables, draw, (10.0, 5.4))


def draw_fig12(data: FigureData) -> Drawing:
    run = data.run
    (q1, x, y), (rate, dx, dy) = run.q.T, run.dq.T
    table = {"t_s": run.t, "x_b_m": x, "y_b_m": y, "dx_b_m_s": dx, "dy_b_m_s": dy, "q1_deg": np.degrees(q1)}
    table |= {"dq1_rad_s": rate, "mode": run.mode.astype(float)}
    shown = wrap_degrees(q1)
    before = np.searchsorted(run.t, run.touch_down, side="left")  # the row before the impact; the next one is after it

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2)
        panels[0, 0].plot(run.t, x, color=BLUE)
        panels[0, 0].set(xlabel="t [s]", ylabel="x_b [m]", title="(a) way of the body")
        panels[0, 1].plot(run.t, y, color=BLUE)
        panels[0, 1].set(xlabel="t [s]", ylabel="y_b [m]", title="(b) height of the body")
        panels[1, 0].plot(y, dy, color=BLUE, linewidth=0.9)
        panels[1, 0].set(xlabel="y_b [m]", ylabel="dy_b/dt [m/s]", title="(c) height: a limit cycle")
        panels[1, 1].plot(shown, rate, color=BLUE, linewidth=0.9)
        panels[1, 1].axhline(0.0, color="black", linewidth=0.6)
        panels[1, 1].set(xlabel="q_1, from 0 to 360 [°]", ylabel="dq_1/dt [rad/s]", title="(d) crank: a limit cycle")
        panels[1, 1].set_xticks(np.arange(0, 361, 60))
        for k, row in enumerate(before):
            label = "impact" if k == 0 else None
            two = slice(row, row + 2)
            panels[1, 0].plot(y[two], dy[two], color=RED, linewidth=1.2, label=label)
            panels[1, 1].plot(np.mod(np.degrees(q1[two]), 360.0), rate[two], color=RED, linewidth=1.2, label=label)
        for axes in panels[1]:
            axes.legend(fontsize=8, loc="center")
        for axes in panels.flat:
            axes.title.set_fontsize(10)

    title = (
        f"{STRIDES} strides, {1e3 * run.period.mean():.1f} ms and {run.speed.mean():.3f} m/s; "
        f"the impact throws the crank back at up to {run.backward.max():.1f} rad/s"
    )
    return Drawing(12, title, {"": table}, draw, (10.0, 7.0))


def draw_fig13(data: FigureData) -> Drawing:
    run = data.run
    table = {"t_s": run.t, "commanded_deg": np.degrees(run.reference), "q1_deg": np.degrees(run.q[:, 0])}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        shade_stance(axes, run, SHOWN_TIME_S)
        axes.plot(run.t, wrap_degrees(run.q[:, 0]), color=GREY, linewidth=1.2, label="q_1")
        axes.plot(run.t, wrap_degrees(run.reference), color=BLUE, label="commanded, theta_1d of (20)")
        axes.set(xlabel=GROUND_TIME_LABEL, ylabel="crank [°], 360° = 0°")
        axes.set_xlim(0.0, SHOWN_TIME_S)
        axes.set_ylim(-8.0, 430.0)
        axes.set_yticks(np.arange(0, 361, 60))
        axes.legend(fontsize=8, loc="upper right", framealpha=0.95)

    return Drawing(13, "the commanded angle of the crank begins again at every switch", {"": table}, draw, (10.0, 4.2))


def draw_fig14(data: FigureData) -> Drawing:
    run = data.run
    angles = np.degrees(np.angle(np.exp(1j * run.z)))  # q2 counts the crank's turns
    turn = np.degrees(passive_angles(data.leg, np.radians(np.arange(0.0, 360.0, 0.5))))
    low, high = turn.min(axis=0), turn.max(axis=0)
    table = {"t_s": run.t, **{f"q{k + 2}_deg": angles[:, k] for k in range(4)}}

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2, sharex=True)
        for k, (axes, colour) in enumerate(zip(panels.flat, (BLUE, RED, PURPLE, BLACK), strict=True)):
            shade_stance(axes, run, SHOWN_TIME_S)
            jumps = np.abs(np.diff(angles[:, k], prepend=angles[0, k])) > 180.0
            axes.plot(run.t, np.where(jumps, np.nan, angles[:, k]), color=colour)
            turns = high[k] - low[k] > 300.0
            if not turns:
                for end in (low[k], high[k]):
                    axes.axhline(end, color="black", linewidth=0.7, linestyle=":")
            span = "it turns against the crank" if turns else f"{low[k]:.1f}° to {high[k]:.1f}° over a turn"
            axes.set(ylabel=f"q_{k + 2} [°]", title=f"{ANGLE_NAMES[k]}: {span}")
            axes.title.set_fontsize(10)
            axes.set_xlim(0.0, SHOWN_TIME_S)
        for axes in panels[1]:
            axes.set_xlabel("t [s]; on the ground where it is grey")

    return Drawing(
        14, "the dependent angles z, and the ranges that the linkage gives them", {"": table}, draw, (10.0, 6.0)
    )


def draw_fig16(data: FigureData) -> Drawing:
    run = data.run
    ahead = run.foot[:, 0] - run.q[:, 1]
    table = {
        "t_s": run.t,
        "q1_deg": np.degrees(run.q[:, 0]),
        "y_b_m": run.q[:, 2],
        "f_x_in_body_m": ahead,
        "f_y_over_ground_m": run.foot[:, 1],
    }

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2, sharex=True)
        shown = (
            (wrap_degrees(run.q[:, 0]), "q_1 [°]", "crank"),
            (1e3 * run.q[:, 2], "y_b [mm]", "height of the body"),
            (1e3 * ahead, "f_x [mm]", "foot ahead of the crank, in {B}"),
            (1e3 * run.foot[:, 1], "f_y [mm]", "foot above the ground"),
        )
        for axes, (values, label, title) in zip(panels.flat, shown, strict=True):
            shade_stance(axes, run, SHORT_TIME_S)
            axes.plot(run.t, values, color=BLUE)
            axes.set(ylabel=label, title=title)
            axes.title.set_fontsize(10)
            axes.set_xlim(0.0, SHORT_TIME_S)
        for axes in panels[1]:
            axes.set_xlabel("t [s]; on the ground where it is grey")

    ours = 1e3 * run.period.mean()
    title = (
        f"a stride takes {ours:.1f} ms; printed {PRINTED_STRIDE_MS} ms for the simulation and "
        f"{EXPERIMENT_STRIDE_MS} ms for the experiment"
    )
    return Drawing(16, title, {"": table}, draw, (10.0, 6.0))
