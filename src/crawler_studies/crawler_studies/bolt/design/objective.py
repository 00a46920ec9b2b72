"""The objective (4) for many mechanisms at once, with penalties for those that cannot turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.bolt.equations.six_bar import Lengths, Pins, pins
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal

ANGLES = 360  # of the sum (4), whatever the number that is evaluated
# penalties above (4) of any leg, each above the one before: they order the mechanisms by how nearly they turn
DEAD_CENTRE, LOWER_LOOP_OPEN, UPPER_LOOP_OPEN = 1e3, 1e4, 1e5


def attack_angle(p: Pins) -> FloatArray:
    """Return the angle of attack alpha (rad): from the vertical to the line from hip A to foot F, forward positive."""
    leg = p.F - p.A
    return np.asarray(np.arctan2(leg.real, -leg.imag))


@dataclass(frozen=True)
class PathObjective:
    """(4) over `count` angles of a turn, scaled to 360."""

    goal: MechanismGoal
    count: int

    @cached_property
    def crank(self) -> FloatArray:
        """Angles of the crank, rad; the first is touch-down."""
        return self.goal.crank_turn(self.count)

    @cached_property
    def ideal(self) -> FloatArray:
        """f_des at these angles."""
        return self.goal.ideal_path(self.crank)

    def __call__(self, bars: Lengths) -> FloatArray:
        """Return n finite numbers for columns (n, 1) of mechanisms; those above DEAD_CENTRE are of no use."""
        p = pins(bars, self.crank)
        with np.errstate(invalid="ignore"):
            distance = (np.abs(p.F - self.ideal) ** 2).sum(axis=-1) * ANGLES / self.count
            J = self.goal.attack_weight * np.abs(attack_angle(p)[:, 0]) + self.goal.path_weight * distance
        upper = upper_gap(bars)
        lower = np.max(
            _missing_length(np.abs(p.E - p.C), bars.l_3, bars.l_t), axis=-1
        )  # NaN where the upper loop is open
        flat = np.sin(np.radians(self.goal.transmission)) - least_sine(p)
        J = np.where(flat > 0.0, DEAD_CENTRE * (1.0 + flat), J)
        J = np.where(lower > 0.0, LOWER_LOOP_OPEN * (1.0 + lower), J)
        return np.asarray(np.where(upper > 0.0, UPPER_LOOP_OPEN * (1.0 + upper), J))


def upper_gap(bars: Lengths) -> FloatArray:
    """Return the length (m) that the upper loop lacks over the turn; A and D are l_c - l_1 to l_c + l_1 apart."""
    near, far = np.abs(bars.l_c - bars.l_1), bars.l_c + bars.l_1
    return np.asarray(
        np.max(np.maximum(_missing_length(near, bars.l_2, bars.l_f), _missing_length(far, bars.l_2, bars.l_f)), axis=-1)
    )


def least_sine(p: Pins) -> FloatArray:
    """Return the least sine over the turn of the transmission angles at B and G; 0 is a dead centre."""
    with np.errstate(invalid="ignore"):
        sines = [
            np.abs(np.imag(np.conj(a) * b)) / (np.abs(a) * np.abs(b))
            for a, b in ((p.B - p.D, p.B - p.A), (p.G - p.C, p.G - p.E))
        ]
    return np.asarray(np.min(np.minimum(*sines), axis=-1))


def _missing_length(between: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the length (m) that two bars lack to bridge a distance; 0 where they do."""
    return np.maximum(0.0, np.maximum(between - (one + other), np.abs(one - other) - between))
