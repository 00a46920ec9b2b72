"""How a crawl stands up to friction that is not known exactly: friction sets, and what is kept of a gait over one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from crawler_core.errors import UserError

Scales = tuple[float, float]
"""Factors on the friction of feet 1 and 2."""

SPREAD = 0.1  # the paper's epsilon
MOST_SPREAD = 0.9
SAMPLES = (
    33  # of e: the extremes may lie inside the interval; against 65, S_mu moves by 0.1 % at most, with 17 by 2.6 %
)


def asymmetric(spread: float = SPREAD, samples: int = SAMPLES) -> list[Scales]:
    """One foot rubs more by what the other rubs less: (1 ± e/2, 1 ∓ e/2) for e in [-spread, spread].

    (7) of the paper reads as if both frictions were free in a box, but its own numbers come from this set.
    """
    e = np.linspace(-spread, spread, samples)
    return [(1.0 + value / 2.0, 1.0 - value / 2.0) for value in e.tolist()]


def corners(spread: float = SPREAD) -> list[Scales]:
    """(7) of the paper to the letter: the corners, the middles of the edges and the centre of a box."""
    levels = (1.0 - spread, 1.0, 1.0 + spread)
    return [(first, second) for first in levels for second in levels]


FRICTION_SETS: Mapping[str, Callable[[float, int], list[Scales]]] = {
    "asymmetric": asymmetric,
    "corners": lambda spread, _: corners(spread),
}


def robust(values: Sequence[float]) -> float:
    """S_mu of (6): the middle between the least and the most over the set."""
    return (min(values) + max(values)) / 2.0


def worst(values: Sequence[float]) -> float:
    """The least over the set."""
    return min(values)


def check_spread(spread: float) -> None:
    """Raise UserError for a spread that makes no friction set."""
    if not 0.0 < spread <= MOST_SPREAD:
        raise UserError(
            f"a spread of {spread:g} is not allowed: friction may stray by more than 0 and {MOST_SPREAD:g} at most."
        )
