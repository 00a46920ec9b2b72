"""Tables 1 and 2 beside theory, and two tables more: shorter links, and the speeds of the joints."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.snake import Wave, alpha_limit
from crawler_studies.plots.drawing import Array, TextTable
from crawler_studies.snake.figures.figure_data import FigureData, text_rows, wave

MISPRINTED_CASE = (4, 45.0)  # n and alpha of the row of Table 2 whose d_unit is misprinted
ALPHA_GRID_RAD = 0.01  # the paper's steps of alpha: its last one is a little below the limit
EXPERIMENT_CYCLES = 10  # of d and Delta x
LINK_COUNTS = (8, 10, 12, 16, 20)  # N; n is half of it
ALPHA_DEG, ALPHA_SHARE = 25.0, 0.9  # the share is of the largest alpha: 25.7° with n = 10
PHASES = np.linspace(0.0, 1.0, 2001)  # of a step


class LargestAlpha(NamedTuple):
    """A column of Table 1: the largest alpha, and f and d_unit there."""

    n: int
    alpha_deg: float
    f: float
    d_unit: float


class Experiment(NamedTuple):
    """A row of Table 2, an experiment on a wooden floor over ten cycles."""

    n: int
    alpha_deg: float
    f: float
    d_unit: float
    moved_mm: float  # Delta x, measured
    d_mm: float  # 10 l d_unit
    loss_percent: float  # (d - Delta x) / d


TABLE_1 = (
    LargestAlpha(4, 74.6, 0.53, 2.40),
    LargestAlpha(5, 58.5, 0.52, 2.87),
    LargestAlpha(6, 48.2, 0.52, 3.35),
    LargestAlpha(7, 41.1, 0.52, 3.79),
    LargestAlpha(8, 35.8, 0.53, 4.31),
    LargestAlpha(9, 31.7, 0.53, 4.82),
    LargestAlpha(10, 28.5, 0.53, 5.25),
    LargestAlpha(11, 25.9, 0.54, 5.87),
)
TABLE_2 = (
    Experiment(4, 30.0, 0.218, 0.455, 332.5, 382.2, 13.0),
    Experiment(4, 45.0, 0.333, 0.956, 711.7, 803.0, 11.0),  # d_unit is a misprint of 0.986, and d follows from it
    Experiment(4, 58.0, 0.430, 1.567, 1197.8, 1316.3, 9.0),
    Experiment(5, 30.0, 0.283, 0.858, 634.2, 720.7, 12.0),
    Experiment(5, 45.0, 0.424, 1.824, 1379.0, 1532.2, 10.0),
    Experiment(5, 58.0, 0.519, 2.831, 2211.5, 2378.0, 7.0),
)


def make_table1(data: FigureData) -> TextTable:
    head = ("n", "α_max printed", "(14)", "f printed", "(11)", "d_unit printed", "(12)", "f of the closed wave")
    formats = ("g", ".1f", ".2f", ".2f", ".4f", ".2f", ".4f", ".0e")
    title = f"the largest α in degrees, and f and d_unit at the last α below it on a grid of {ALPHA_GRID_RAD:g} rad"
    return TextTable("table 1", title, head, text_rows(table1_columns(), formats))


def table1_columns() -> dict[str, Array]:
    """Return the printed numbers beside theory."""
    limits = [alpha_limit(row.n) for row in TABLE_1]
    waves = [
        Wave(row.n, ALPHA_GRID_RAD * math.floor(limit / ALPHA_GRID_RAD))
        for row, limit in zip(TABLE_1, limits, strict=True)
    ]
    return {
        "n": np.array([float(row.n) for row in TABLE_1]),
        "alpha_max_printed_deg": np.array([row.alpha_deg for row in TABLE_1]),
        "alpha_max_deg": np.degrees(limits),
        "f_printed": np.array([row.f for row in TABLE_1]),
        "f": np.array([one.f for one in waves]),
        "d_unit_printed": np.array([row.d_unit for row in TABLE_1]),
        "d_unit": np.array([one.d_unit for one in waves]),
        "f_closed": np.array([Wave(one.n, one.alpha, closed=True).f for one in waves]),
    }


def make_table2(data: FigureData) -> TextTable:
    head = ("n", "α, °", "f printed", "(11)", "d_unit printed", "(12)", "d printed", "10 l d_unit", "Δx printed")
    losses = ("loss printed", "of printed d", "of our d")
    formats = ("g", "g", ".3f", ".4f", ".3f", ".4f", ".1f", ".1f", ".1f", ".0f", ".1f", ".1f")
    rows = text_rows(table2_columns(data.spec), formats)
    wrong = [(row.n, row.alpha_deg) for row in TABLE_2].index(MISPRINTED_CASE)
    rows[wrong] = [f"**{cell}**" if column in (4, 6, 9) else cell for column, cell in enumerate(rows[wrong])]
    return TextTable(
        "table 2",
        "the experiments, lengths in mm, losses in %",
        (*head, *losses),
        rows,
        "Bold: d_unit is misprinted, and d and the loss are computed from it. The other d are 840 mm times the rounded "
        "d_unit.",
    )


def table2_columns(spec: RobotSpec) -> dict[str, Array]:
    """Return the printed numbers beside theory."""
    waves = [wave(row.n, row.alpha_deg) for row in TABLE_2]
    d = np.array([1e3 * EXPERIMENT_CYCLES * spec.parameters["link_length"] * one.d_unit for one in waves])
    moved, printed = (np.array([getattr(row, name) for row in TABLE_2]) for name in ("moved_mm", "d_mm"))
    return {
        "n": np.array([float(row.n) for row in TABLE_2]),
        "alpha_deg": np.array([row.alpha_deg for row in TABLE_2]),
        "f_printed": np.array([row.f for row in TABLE_2]),
        "f": np.array([one.f for one in waves]),
        "d_unit_printed": np.array([row.d_unit for row in TABLE_2]),
        "d_unit": np.array([one.d_unit for one in waves]),
        "d_printed_mm": printed,
        "d_mm": d,
        "moved_printed_mm": moved,
        "loss_printed_percent": np.array([row.loss_percent for row in TABLE_2]),
        "loss_of_printed_percent": 100.0 * (1.0 - moved / printed),
        "loss_percent": 100.0 * (1.0 - moved / d),
    }


def make_links(data: FigureData) -> TextTable:
    numbers = ("f l", "f / d_unit")
    head = ("N", "l", f"d at {ALPHA_DEG:g}°", *numbers, f"d at {ALPHA_SHARE:g} α_max", *numbers, "intervals")
    return TextTable(
        "links",
        f"shorter links in a snake of {1e3 * body_length(data.spec):g} mm with n = N / 2, mm a cycle",
        head,
        text_rows(links_columns(data.spec), ("g", ".1f", ".1f", ".1f", ".3f", ".1f", ".1f", ".3f", "g")),
        "d is the advance of a cycle without slip, f l how far the wave's end strays, and intervals are what a cycle "
        "takes, each of π / 2ω₂.",
    )


def body_length(spec: RobotSpec) -> float:
    """Return the snake's length, m."""
    return float(spec.parameters["links"] * spec.parameters["link_length"])


def links_columns(spec: RobotSpec) -> dict[str, Array]:
    """Return numbers for each number of links, at one amplitude and at a share of the largest one."""
    length = 1e3 * body_length(spec) / np.array(LINK_COUNTS)
    found: dict[str, Array] = {"N": np.array(LINK_COUNTS, dtype=float), "l_mm": length}
    for name, waves in (
        ("fixed", [wave(count // 2, ALPHA_DEG) for count in LINK_COUNTS]),
        ("share", [Wave(count // 2, ALPHA_SHARE * alpha_limit(count // 2)) for count in LINK_COUNTS]),
    ):
        f, d_unit = (np.array([getattr(one, key) for one in waves]) for key in ("f", "d_unit"))
        found |= {f"d_{name}_mm": length * d_unit, f"stray_{name}_mm": length * f, f"f_over_d_{name}": f / d_unit}
    return {**found, "intervals": np.array([count - count // 2 + 2.0 for count in LINK_COUNTS])}


def make_rates(data: FigureData) -> TextTable:
    return TextTable(
        "rates",
        f"joint speeds over ω₂ by (8) at its own pace, α = {ALPHA_SHARE:g} α_max",
        ("n", "fastest joint", "slowest joint", "ratio", "largest jump between steps", "closed: fastest", "ratio"),
        text_rows(rates_columns(), ("g", ".2f", ".3f", ".1f", ".2f", ".2f", ".1f")),
        "A joint's speed is its largest within a step; the fastest is always the second of the window, at P_1, and its "
        "mirror image at P_n, the slowest in the middle of the wave.",
    )


def rates_columns() -> dict[str, Array]:
    """Return the speeds for n = 4 to 11."""
    numbers = np.arange(4.0, 12.0)
    waves = {
        closed: [Wave(int(n), ALPHA_SHARE * alpha_limit(int(n)), closed) for n in numbers] for closed in (False, True)
    }
    peaks = {closed: [peak_rates(one) for one in many] for closed, many in waves.items()}
    fastest = {closed: np.array([rates.max() for rates in many]) for closed, many in peaks.items()}
    slowest = {closed: np.array([rates.min() for rates in many]) for closed, many in peaks.items()}
    return {
        "n": numbers,
        "fastest": fastest[False],
        "slowest": slowest[False],
        "ratio": fastest[False] / slowest[False],
        "jump": np.array([largest_jump(one) for one in waves[False]]),
        "fastest_closed": fastest[True],
        "ratio_closed": fastest[True] / slowest[True],
    }


def peak_rates(wave: Wave) -> Array:
    """Return the largest |J_i'| within a step, over omega_2."""
    return np.asarray(np.abs(wave.angles(PHASES).first).max(axis=0) * 2.0 / np.pi)


def largest_jump(wave: Wave) -> float:
    """Return the jump of a joint's rate where the wave advances by a link, over omega_2: J_i is then J_(i-1)."""
    first, last = wave.angles(np.array([0.0, 1.0])).first * 2.0 / np.pi
    return float(np.abs(np.append(last, 0.0) - np.append(0.0, first)).max())
