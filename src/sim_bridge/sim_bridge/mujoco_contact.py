"""How bodies touch in MuJoCo: contact constants from the time step, and feet that give way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crawler_core.robot import FootSpec

PACE = 0.2  # of a rigid contact: in a step it closes about so much of what is left of a gap
SHARE = 0.03  # MuJoCo's impedance d of a rigid contact
FRICTION_STIFFER = 1e4  # the regulariser of friction is so much smaller than the normal force's
SOFTEST = 1e-4  # of a compliant foot's inverse mass: what its given force may still yield by


@dataclass(frozen=True)
class ContactConstants:
    """solref, solreffriction and solimp of a pair."""

    solref: list[float]
    friction: list[float]
    solimp: list[float]


def rigid(step: float, pace: float = PACE, share: float = SHARE) -> ContactConstants:
    rate = pace / step
    return ContactConstants(
        [-rate * rate, -2.0 * rate], [-1.0, -share / step], [share, share, 1e-3, 0.5, 2.0]
    )
