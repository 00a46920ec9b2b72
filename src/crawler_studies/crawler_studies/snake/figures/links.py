"""What shorter links do to a snake of one length, half of which is in the wave: the paper's first way to be better."""

from __future__ import annotations

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.snake import Wave, alpha_limit
from crawler_studies.plots.drawing import Array, TextTable
from crawler_studies.snake.figures.figure_data import FigureData, text_rows, wave

LINKS = (8, 10, 12, 16, 20)  # N; n is half of it
ALPHA, SHARE = 25.0, 0.9  # degrees, and of the largest alpha: 25.7° with n = 10


def make(data: FigureData) -> TextTable:
    return TextTable(
        "links",
        f"shorter links in a snake of {1e3 * body(data.spec):g} mm with n = N / 2, mm a cycle",
        ("N", "l", f"d at {ALPHA:g}°", "f l", "f / d_unit", f"d at {SHARE:g} α_max", "f l", "f / d_unit", "intervals"),
        text_rows(columns(data.spec), ("g", ".1f", ".1f", ".1f", ".3f", ".1f", ".1f", ".3f", "g")),
        "d is the advance of a cycle without slip, f l how far the wave's end strays, and intervals are what a cycle "
        "takes, each of π / 2ω₂.",
    )


def body(spec: RobotSpec) -> float:
    """The snake's length, m."""
    return float(spec.parameters["links"] * spec.parameters["link_length"])


def columns(spec: RobotSpec) -> dict[str, Array]:
    """For each number of links, at one amplitude and at a share of the largest one."""
    length = 1e3 * body(spec) / np.array(LINKS)
    found: dict[str, Array] = {"N": np.array(LINKS, dtype=float), "l_mm": length}
    for name, waves in (
        ("fixed", [wave(count // 2, ALPHA) for count in LINKS]),
        ("share", [Wave(count // 2, SHARE * alpha_limit(count // 2)) for count in LINKS]),
    ):
        f, d_unit = (np.array([getattr(one, key) for one in waves]) for key in ("f", "d_unit"))
        found |= {f"d_{name}_mm": length * d_unit, f"stray_{name}_mm": length * f, f"f_over_d_{name}": f / d_unit}
    return {**found, "intervals": np.array([count - count // 2 + 2.0 for count in LINKS])}
