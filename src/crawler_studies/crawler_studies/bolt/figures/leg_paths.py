"""Figs. 4 and 5: the angles of loop 1, and the paths of knee and foot, over a turn of the crank."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.bolt.equations.six_bar import Lengths, pins
from crawler_studies.bolt.design.bars import Bars
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.bolt.design.mechanism_report import evaluate_mechanism
from crawler_studies.bolt.figures.figure_data import HEURISTIC, FigureData
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, RED, Array, Drawing


def draw_fig04(data: FigureData) -> Drawing:
    crank = np.radians(np.arange(0.0, 361.0))
    table = {"crank_deg": np.degrees(crank)}
    for name, leg in (("optimised", data.leg), ("heuristic", HEURISTIC)):
        hfe, femur = loop_1(leg, crank)
        table |= {f"theta_2_{name}_deg": hfe, f"theta_3_{name}_deg": femur}
    swing = np.ptp(table["theta_3_optimised_deg"])

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharex=True)
        for axes, angle, what in zip(panels, ("theta_2", "theta_3"), ("HFE link", "femur"), strict=True):
            axes.plot(table["crank_deg"], table[f"{angle}_optimised_deg"], color=BLUE, label="optimised")
            axes.plot(table["crank_deg"], table[f"{angle}_heuristic_deg"], "--", color=GREY, label="heuristic")
            axes.set(xlabel="crank theta_1 [°]", ylabel=f"{angle}, {what} [°]")
            axes.set_xlim(0.0, 360.0)
            axes.set_xticks(np.arange(0, 361, 60))
            axes.legend(fontsize=8)

    return Drawing(
        4, f"the angles of loop 1; the optimised femur swings by {swing:.1f}°", {"": table}, draw, (9.0, 4.0)
    )


def loop_1(leg: Lengths, crank: Array) -> tuple[Array, Array]:
    """Return theta_2 of the HFE link and theta_3 of A to B (degrees), counter-clockwise from forward."""
    p = pins(leg, crank)
    return np.degrees(np.angle(p.B - p.D)), np.degrees(np.angle(p.B - p.A))


def draw_fig05(data: FigureData) -> Drawing:
    crank = np.radians(np.arange(0.0, 360.5, 0.5))
    leg, heuristic, wanted = pins(data.leg, crank), pins(HEURISTIC, crank), MechanismGoal().ideal_path(crank)
    evaluated = evaluate_mechanism(Bars.of(data.spec.parameters), MechanismGoal())
    table = {"crank_deg": np.degrees(crank)}
    for name, point in (
        ("knee", leg.E),
        ("knee_heuristic", heuristic.E),
        ("foot", leg.F),
        ("foot_heuristic", heuristic.F),
        ("foot_ideal", wanted),
    ):
        table |= {f"x_{name}_mm": 1e3 * point.real, f"y_{name}_mm": 1e3 * point.imag}
    far = np.abs(heuristic.E - heuristic.C)
    bridged = abs(HEURISTIC.l_3 - HEURISTIC.l_t)

    def draw(figure: Figure) -> None:
        knee, foot = figure.subplots(1, 2, width_ratios=(1.0, 1.35))
        knee.plot(table["x_knee_mm"], table["y_knee_mm"], color=BLUE, label="optimised")
        knee.plot(table["x_knee_heuristic_mm"], table["y_knee_heuristic_mm"], "--", color=GREY, label="heuristic")
        knee.set_title("(a) knee E", fontsize=10)
        foot.plot(table["x_foot_mm"], table["y_foot_mm"], color=BLUE, label="optimised")
        foot.plot(table["x_foot_ideal_mm"], table["y_foot_ideal_mm"], "--", color=BLACK, label="ideal, Fig. 3(b)")
        foot.plot(table["x_foot_mm"][684:685], table["y_foot_mm"][684:685], "o", color=RED, label="touch-down, 342°")
        foot.set_title("(b) foot F", fontsize=10)
        foot.set_ylim(-520.0, -300.0)
        foot.text(
            0.5,
            0.04,
            "The heuristic column has no foot: l_s = l_2 puts C on B, where it stays\n"
            f"{1e3 * far.max():.0f} mm from the knee, and l_3 and l_t bridge {1e3 * bridged:.0f} mm or more.",
            transform=foot.transAxes,
            ha="center",
            fontsize=8,
            color=BLACK,
        )
        for axes in (knee, foot):
            axes.set(xlabel="x ahead of the crank [mm]", ylabel="y above the crank [mm]")
            axes.set_aspect("equal")
            axes.legend(fontsize=8, loc="upper right")
        knee.margins(0.25)

    title = (
        f"knee and foot: stride {1e3 * evaluated['stride_m']:.1f} mm, height {1e3 * evaluated['height_m']:.1f} mm, "
        f"{1e3 * evaluated['path_rms_m']:.1f} mm (rms) from the ideal"
    )
    return Drawing(5, title, {"": table}, draw, (11.0, 4.6))
