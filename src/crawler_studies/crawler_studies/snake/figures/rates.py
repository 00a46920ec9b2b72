"""How fast the joints turn by (8), at its own even pace: the paper asks for small ratios of the joints' velocities."""

from __future__ import annotations

import numpy as np

from crawler_models.snake import Wave, alpha_limit
from crawler_studies.plots.drawing import Array, TextTable
from crawler_studies.snake.figures.figure_data import FigureData, text_rows

SHARE = 0.9  # of the largest alpha; the ratios of (8) do not depend on it
S = np.linspace(0.0, 1.0, 2001)


def make(data: FigureData) -> TextTable:
    return TextTable(
        "rates",
        f"joint speeds over ω₂ by (8) at its own pace, α = {SHARE:g} α_max",
        ("n", "fastest joint", "slowest joint", "ratio", "largest jump between steps", "closed: fastest", "ratio"),
        text_rows(columns(), ("g", ".2f", ".3f", ".1f", ".2f", ".2f", ".1f")),
        "A joint's speed is its largest within a step; the fastest is always the second of the window, at P_1, and its "
        "mirror image at P_n, the slowest in the middle of the wave.",
    )


def columns() -> dict[str, Array]:
    """For n = 4 to 11."""
    numbers = np.arange(4.0, 12.0)
    waves = {closed: [Wave(int(n), SHARE * alpha_limit(int(n)), closed) for n in numbers] for closed in (False, True)}
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
    """The largest |J_i'| within a step, over omega_2."""
    return np.asarray(np.abs(wave.angles(S).first).max(axis=0) * 2.0 / np.pi)


def largest_jump(wave: Wave) -> float:
    """By how much a joint's rate jumps where the wave goes on by a link, over omega_2: J_i is then J_(i-1)."""
    first, last = wave.angles(np.array([0.0, 1.0])).first * 2.0 / np.pi
    return float(np.abs(np.append(last, 0.0) - np.append(0.0, first)).max())
