"""Contact modes: which foot sticks and which way the other slips (Fig. 3 of the paper)."""

from __future__ import annotations

from enum import IntEnum
from itertools import product

from crawler_core.types import ContactMode


class FootMode(IntEnum):
    """State of one foot on the ground; slipping feet carry the sign of x_i' in the paper's axes."""

    SLIP_NEG = -1
    STICK = 0
    SLIP_POS = 1


# the paper's x axis points against the direction of travel
ROS_MODE = {0: ContactMode.STICK, 1: ContactMode.SLIP_NEG, -1: ContactMode.SLIP_POS}
PAPER_MODE = {mode: sign for sign, mode in ROS_MODE.items()}

Mode = tuple[int, int]
"""(sgn x1', sgn x2'), with 0 for a sticking foot."""

STICK_STICK: Mode = (0, 0)
"""Possible only while the feet keep their distance, e.g. when the joints hold still."""

ALL_MODES: tuple[Mode, ...] = tuple((s1, s2) for s1, s2 in product((0, 1, -1), repeat=2))


def candidates(moving: tuple[int, int]) -> list[Mode]:
    """Modes a pair of feet may take, given each foot's sign of velocity (0: it is at rest and free to choose)."""
    choices = [(s,) if s else (0, 1, -1) for s in moving]
    return [(s1, s2) for s1, s2 in product(*choices)]
