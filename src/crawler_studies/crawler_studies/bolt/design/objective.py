"""The objective (4) for many mechanisms at once, and what stands in its place where they cannot turn."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.bolt.equations.six_bar import Lengths, Pins, pins
from crawler_studies.bolt.design.ideal_path import ideal_path, turn
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal

ANGLES = 360  # that (4) sums over, whatever the number that is looked at
# more than (4) comes to with any leg, each above the one before: they order the mechanisms by how nearly they turn
FLAT, LOWER_OPEN, UPPER_OPEN = 1e3, 1e4, 1e5


def attack(p: Pins) -> FloatArray:
    """The angle of attack alpha (rad): between the line from hip A to foot F and the vertical, forward positive."""
    leg = p.F - p.A
    return np.asarray(np.arctan2(leg.real, -leg.imag))


@dataclass(frozen=True)
class PathObjective:
    """(4) over `count` angles of a turn, scaled to 360."""

    goal: MechanismGoal
    count: int
    crank: FloatArray = field(init=False)  # rad; the first is touch-down
    wanted: FloatArray = field(init=False)  # f_des there

    def __post_init__(self) -> None:
        object.__setattr__(self, "crank", turn(self.goal, self.count))
        object.__setattr__(self, "wanted", ideal_path(self.goal, self.crank))

    def __call__(self, bars: Lengths) -> FloatArray:
        """Of columns (n, 1) of mechanisms: n finite numbers, those above FLAT of mechanisms that are of no use."""
        p = pins(bars, self.crank)
        with np.errstate(invalid="ignore"):
            far = (np.abs(p.F - self.wanted) ** 2).sum(axis=-1) * ANGLES / self.count
            J = self.goal.attack_weight * np.abs(attack(p)[:, 0]) + self.goal.path_weight * far
        upper = upper_gap(bars)
        lower = np.max(_open(np.abs(p.E - p.C), bars.l_3, bars.l_t), axis=-1)  # NaN where the upper loop is open
        flat = np.sin(np.radians(self.goal.transmission)) - least_sine(p)
        J = np.where(flat > 0.0, FLAT * (1.0 + flat), J)
        J = np.where(lower > 0.0, LOWER_OPEN * (1.0 + lower), J)
        return np.asarray(np.where(upper > 0.0, UPPER_OPEN * (1.0 + upper), J))


def upper_gap(bars: Lengths) -> FloatArray:
    """How far (m) the upper loop is from closing over the whole turn: A and D are l_c - l_1 to l_c + l_1 apart."""
    near, far = np.abs(bars.l_c - bars.l_1), bars.l_c + bars.l_1
    return np.asarray(np.max(np.maximum(_open(near, bars.l_2, bars.l_f), _open(far, bars.l_2, bars.l_f)), axis=-1))


def least_sine(p: Pins) -> FloatArray:
    """The least sine over the turn of the transmission angles at B and G; 0 is a dead centre."""
    with np.errstate(invalid="ignore"):
        sines = [
            np.abs(np.imag(np.conj(a) * b)) / (np.abs(a) * np.abs(b))
            for a, b in ((p.B - p.D, p.B - p.A), (p.G - p.C, p.G - p.E))
        ]
    return np.asarray(np.min(np.minimum(*sines), axis=-1))


def _open(between: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """How far (m) two bars are from bridging a distance; 0 where they do."""
    return np.maximum(0.0, np.maximum(between - (one + other), np.abs(one - other) - between))
