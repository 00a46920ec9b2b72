"""All gaits that were evaluated, by what they come to, with the front of those that none beats in everything."""

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
from crawler_studies.miniaq.design.gait_goal import KEYS
from crawler_studies.plots.drawing import BLUE, GREY, RED
from crawler_studies.study.study_case import Point, StudyCase

SHOWN = {
    "mismatch": ("mismatch [%]", 1e2),
    "speed_m_s": ("speed [mm/s]", 1e3),
    "cost_of_transport": ("cost of transport", 1.0),
}


def scatter(axes: Axes, x: str, y: str, evaluated: Sequence[EvaluatedGait], unbeaten: Sequence[EvaluatedGait]) -> None:
    """Two of AIMS against each other, by their keys; the colour of the front is the third."""
    (other,) = set(KEYS.values()) - {x, y}
    words, _ = SHOWN[other]
    axes.plot(values(evaluated, x), values(evaluated, y), ".", color=GREY, markersize=2, alpha=0.6)
    dots = axes.scatter(
        values(unbeaten, x), values(unbeaten, y), c=values(unbeaten, other), s=14, cmap="viridis", zorder=3
    )
    axes.figure.colorbar(dots, ax=axes, label=words)
    axes.set(xlabel=SHOWN[x][0], ylabel=SHOWN[y][0])
    axes.grid(alpha=0.3)


def mark(axes: Axes, x: str, y: str, evaluated: EvaluatedGait, label: str, colour: str) -> None:
    """One gait among them."""
    if evaluated.valid:
        axes.plot(
            values([evaluated], x), values([evaluated], y), "*", markersize=13, color=colour, label=label, zorder=4
        )


def values(evaluated: Sequence[EvaluatedGait], key: str) -> FloatArray:
    """As they are shown."""
    return SHOWN[key][1] * np.array([each.found[key] for each in evaluated], dtype=float)


def draw(
    figure: Figure,
    case: StudyCase,
    now: EvaluatedGait,
    best: EvaluatedGait,
    evaluated: Sequence[EvaluatedGait],
    unbeaten: Sequence[EvaluatedGait],
) -> None:
    """On a figure of about 10 by 7 inches: two views of all gaits, and a stride of the old one and of the new one."""
    panels = figure.subplot_mosaic([["left", "right"], ["now", "now"], ["best", "best"]], height_ratios=(5, 3, 3))
    for place, x in (("left", "mismatch"), ("right", "cost_of_transport")):
        axes, y = panels[place], "speed_m_s"
        scatter(axes, x, y, evaluated, unbeaten)
        mark(axes, x, y, now, f"{case.gait_name}, as it is set", RED)
        mark(axes, x, y, best, "found", BLUE)
        axes.legend(fontsize=8)
    for place, one, words in (("now", now, f"{case.gait_name}, as it is set"), ("best", best, "found")):
        panels[place].set_title(words, fontsize=10, loc="right")
        if one.valid:
            stride(panels[place], case, one.point)
    draw_legend(panels["now"], has_intended=True, has_forces=True)
    panels["now"].set_xlabel("")


def stride(axes: Axes, case: StudyCase, point: Point) -> None:
    """The gait diagram of a stride of the steady walk."""
    spec, gait = case.at(point)
    steady = steady_walk(Quadruped.from_parameters(spec.parameters), gait)
    walk = steady.walk
    times = steady.begin + walk.times - walk.times[0]
    draw_cycle(
        axes,
        times,
        walk.force[..., 2] > 0.0,
        forward_force(walk),
        intended_contacts(gait, times),
        LEG_NAMES,
        times[::SAMPLES_PER_STRIDE],
    )
