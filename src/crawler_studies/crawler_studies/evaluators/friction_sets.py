"""How a crawl stands up to friction that is not known exactly: friction sets, and what is kept of a gait over one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec

Scales = tuple[float, ...]
"""A factor on the friction of each foot."""

SPREAD = 0.1  # the paper's epsilon
MOST_SPREAD = 0.9
SAMPLES = (
    33  # of e: the extremes may lie inside the interval; against 65, S_mu moves by 0.1 % at most, with 17 by 2.6 %
)
MOST_CORNERS = 4  # feet: three levels of each make 81 frictions


def asymmetric(spread: float = SPREAD, samples: int = SAMPLES, feet: int = 2) -> list[Scales]:
    """One foot rubs more by what the other rubs less: (1 ± e/2, 1 ∓ e/2) for e in [-spread, spread].

    (7) of the paper reads as if both frictions were free in a box, but its own numbers come from this set. Raises
    UserError where there are not two feet.
    """
    if feet != 2:
        raise UserError(f"the friction set asymmetric is of two feet, and this robot has {feet}: take corners.")
    e = np.linspace(-spread, spread, samples)
    return [(1.0 + value / 2.0, 1.0 - value / 2.0) for value in e.tolist()]


def corners(spread: float = SPREAD, feet: int = 2) -> list[Scales]:
    """(7) of the paper to the letter: the corners, the middles of the edges and the centre of a box."""
    if feet > MOST_CORNERS:
        raise UserError(f"the friction set corners is of {MOST_CORNERS} feet at most, and this robot has {feet}.")
    return list(product((1.0 - spread, 1.0, 1.0 + spread), repeat=feet))


FRICTION_SETS: Mapping[str, Callable[[float, int, int], list[Scales]]] = {  # of spread, samples and number of feet
    "asymmetric": asymmetric,
    "corners": lambda spread, _, feet: corners(spread, feet),
}


def friction_parameters(spec: RobotSpec) -> tuple[str, ...]:
    """Of each foot, the parameter that its friction has for itself. Raises UserError where a foot has none."""
    factors = {foot: spec.document["feet"][foot]["friction"] for foot in spec.foot_names}
    shared = Counter(name for names in factors.values() for name in names)
    own = {foot: [name for name in names if shared[name] == 1] for foot, names in factors.items()}
    for foot, names in own.items():
        if not names:
            raise UserError(
                f"the friction of {spec.name}'s {foot} cannot stray by itself: none of its factors in the robot file "
                "is its own."
            )
    return tuple(names[0] for names in own.values())


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
