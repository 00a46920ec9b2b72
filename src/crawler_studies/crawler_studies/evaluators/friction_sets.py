"""Sets of frictions around the nominal one, and the value of a gait over such a set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec

Scales = tuple[float, ...]
"""A factor on the friction of each foot."""

DEFAULT_SPREAD = 0.1  # the paper's epsilon
MAX_SPREAD = 0.9
SPREAD_SAMPLES = (
    33  # extremes may lie inside of the interval; against 65, S_mu moves by 0.1 % at most, with 17 by 2.6 %
)
MAX_CORNER_FEET = 4  # three levels of each make 81 frictions


def asymmetric(spread: float = DEFAULT_SPREAD, samples: int = SPREAD_SAMPLES, feet: int = 2) -> list[Scales]:
    """Return (1 ± e/2, 1 ∓ e/2) for e in [-spread, spread]: one foot has more friction by what the other has less.

    (7) of the paper reads as if both frictions were free in a box, but its own numbers come from this set. Raises
    UserError where there are not two feet.
    """
    if feet != 2:
        raise UserError(f"the friction set asymmetric is of two feet, and this robot has {feet}: take corners.")
    e = np.linspace(-spread, spread, samples)
    return [(1.0 + value / 2.0, 1.0 - value / 2.0) for value in e.tolist()]


def corners(spread: float = DEFAULT_SPREAD, feet: int = 2) -> list[Scales]:
    """Return (7) of the paper to the letter: the corners, the middles of the edges and the centre of a box."""
    if feet > MAX_CORNER_FEET:
        raise UserError(f"the friction set corners is of {MAX_CORNER_FEET} feet at most, and this robot has {feet}.")
    return list(product((1.0 - spread, 1.0, 1.0 + spread), repeat=feet))


FRICTION_SETS: Mapping[str, Callable[[float, int, int], list[Scales]]] = {  # of spread, samples and number of feet
    "asymmetric": asymmetric,
    "corners": lambda spread, _, feet: corners(spread, feet),
}


def friction_parameters(spec: RobotSpec) -> tuple[str, ...]:
    """Return for each foot the parameter that changes its friction alone. Raises UserError where a foot has none."""
    factors = {foot: spec.document["feet"][foot]["friction"] for foot in spec.foot_names}
    uses = Counter(name for names in factors.values() for name in names)
    own = {foot: [name for name in names if uses[name] == 1] for foot, names in factors.items()}
    for foot, names in own.items():
        if not names:
            raise UserError(
                f"the friction of {spec.name}'s {foot} cannot vary by itself: the robot file gives it no friction "
                "parameter of its own."
            )
    return tuple(names[0] for names in own.values())


def robust(values: Sequence[float]) -> float:
    """Return S_mu of (6): the middle between the least and the most over the set."""
    return (min(values) + max(values)) / 2.0


def check_spread(spread: float) -> None:
    """Raise UserError for a spread that makes no friction set."""
    if not 0.0 < spread <= MAX_SPREAD:
        raise UserError(
            f"a spread of {spread:g} is not allowed: friction may vary by more than 0 and {MAX_SPREAD:g} at most."
        )
