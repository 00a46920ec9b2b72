"""Fig. 4: the angles of loop 1 over a turn of the crank, optimised and heuristic."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.bolt.equations.six_bar import Lengths, pins
from crawler_studies.bolt.figures.figure_data import HEURISTIC, FigureData
from crawler_studies.plots.drawing import BLUE, GREY, Array, Drawing


def make(data: FigureData) -> Drawing:
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
    """theta_2 of the HFE link and theta_3 of A to B (degrees), counter-clockwise from forward."""
    p = pins(leg, crank)
    return np.degrees(np.angle(p.B - p.D)), np.degrees(np.angle(p.B - p.A))
