"""The plot of a search: all evaluated gaits with their Pareto front, and a stride of the old and of the new gait."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_core.gait_metrics.footfall import intended_contacts
from crawler_core.types import FloatArray
from crawler_models.miniaq.equations.quadruped import LEG_NAMES, Quadruped
from crawler_models.miniaq.prediction import forward_force
from crawler_models.miniaq.walks.steady_walk import SAMPLES_PER_STRIDE, steady_walk
from crawler_studies.gait_analysis.gait_diagram import draw_cycle, draw_legend
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait
from crawler_studies.miniaq.design.gait_goal import AIM_KEYS
from crawler_studies.plots.drawing import BLUE, GREY, RED
from crawler_studies.study.study_case import Point, StudyCase

AXIS_LABELS = {
    "mismatch": ("mismatch [%]", 1e2),
    "speed_m_s": ("speed [mm/s]", 1e3),
    "cost_of_transport": ("cost of transport", 1.0),
}


def scatter(axes: Axes, x: str, y: str, gaits: Sequence[EvaluatedGait], front: Sequence[EvaluatedGait]) -> None:
    """Draw two of AIMS against each other, by their keys; the third is the colour of the front."""
    (other,) = set(AIM_KEYS.values()) - {x, y}
    words, _ = AXIS_LABELS[other]
    axes.plot(axis_values(gaits, x), axis_values(gaits, y), ".", color=GREY, markersize=2, alpha=0.6)
    dots = axes.scatter(
        axis_values(front, x), axis_values(front, y), c=axis_values(front, other), s=14, cmap="viridis", zorder=3
    )
    axes.figure.colorbar(dots, ax=axes, label=words)
    axes.set(xlabel=AXIS_LABELS[x][0], ylabel=AXIS_LABELS[y][0])
    axes.grid(alpha=0.3)


def mark_gait(axes: Axes, x: str, y: str, gait: EvaluatedGait, label: str, colour: str) -> None:
    """Mark one gait in the scatter plot."""
    if gait.valid:
        place = axis_values([gait], x), axis_values([gait], y)
        axes.plot(*place, "*", markersize=13, color=colour, label=label, zorder=4)


def axis_values(gaits: Sequence[EvaluatedGait], key: str) -> FloatArray:
    """Return the values in the unit of the axis."""
    return AXIS_LABELS[key][1] * np.array([each.found[key] for each in gaits], dtype=float)


def draw(
    figure: Figure,
    case: StudyCase,
    now: EvaluatedGait,
    best: EvaluatedGait,
    gaits: Sequence[EvaluatedGait],
    front: Sequence[EvaluatedGait],
) -> None:
    """Draw on a figure of about 10 by 7 inches."""
    panels = figure.subplot_mosaic([["left", "right"], ["now", "now"], ["best", "best"]], height_ratios=(5, 3, 3))
    for place, x in (("left", "mismatch"), ("right", "cost_of_transport")):
        axes, y = panels[place], "speed_m_s"
        scatter(axes, x, y, gaits, front)
        mark_gait(axes, x, y, now, f"{case.gait_name}, as it is set", RED)
        mark_gait(axes, x, y, best, "found", BLUE)
        axes.legend(fontsize=8)
    for place, one, words in (("now", now, f"{case.gait_name}, as it is set"), ("best", best, "found")):
        panels[place].set_title(words, fontsize=10, loc="right")
        if one.valid:
            draw_stride(panels[place], case, one.point)
    draw_legend(panels["now"], has_intended=True, has_forces=True)
    panels["now"].set_xlabel("")


def draw_stride(axes: Axes, case: StudyCase, point: Point) -> None:
    """Draw the gait diagram of a stride of the steady walk."""
    spec, gait = case.at(point)
    steady = steady_walk(Quadruped.from_parameters(spec.parameters), gait)
    walk = steady.walk
    times = steady.begin + walk.times - walk.times[0]
    down, forward, intended = walk.force[..., 2] > 0.0, forward_force(walk), intended_contacts(gait, times)
    draw_cycle(axes, times, down, forward, intended, LEG_NAMES, times[::SAMPLES_PER_STRIDE])
