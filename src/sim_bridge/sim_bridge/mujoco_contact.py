"""How bodies touch in MuJoCo: constants of rigid contacts, and feet that give way. docs/physics_engines.md says why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.robot import FootSpec
from crawler_core.types import FloatArray

SHARE = 0.03  # the impedance d of a rigid contact: so little of what slides pushes the contact up
STIFFER = 1e5  # friction's regulariser is so much smaller than the normal force's: a foot that sticks hardly creeps
DAMPED = 1.2  # of the feet's speed into the ground is taken in a step: below 2 it fades, below 1 without turning round
FASTEST = 0.4  # of what is left of a gap, that one contact closes in a step
YIELDING = 1e-4  # of a compliant foot's mobility: so little does its force depend on what else acts on it


@dataclass(frozen=True)
class Rigid:
    """A contact that closes gaps critically damped, at the rate of `pace` (1) per `step` (s), in MuJoCo's words."""

    pace: float
    step: float

    @property
    def solref(self) -> tuple[float, float]:
        rate = self.pace / self.step
        return (-rate * rate, -2.0 * rate)

    @property
    def solreffriction(self) -> tuple[float, float]:
        """What slides shall stand still at the end of the step."""
        return (-1.0, -SHARE / self.step)

    @property
    def solimp(self) -> tuple[float, float, float, float, float]:
        return constant(SHARE)


def constant(impedance: float) -> tuple[float, float, float, float, float]:
    """solimp of an impedance that does not depend on the depth."""
    return (impedance, impedance, 1e-3, 0.5, 2.0)


def pace_of(mobility: FloatArray) -> float:
    """How fast rigid feet may close gaps, given how the force on each accelerates all, J M^-1 J' (1/kg) upwards.

    Each contact is tuned by itself; where many lift the same body they act together, and so each must do less.
    """
    own = np.sqrt(np.diag(mobility))
    moving = own > 1e-6  # a foot that cannot be lifted says nothing
    if not moving.any():
        return FASTEST
    together = float(np.linalg.eigvalsh((mobility / np.outer(own, own))[np.ix_(moving, moving)])[-1])
    return min(FASTEST, 0.5 * DAMPED * (1.0 - SHARE + SHARE * together) / together)


class Springs:
    """The compliant feet: a force of stiffness times depth and damping times speed, whatever mass is behind it.

    MuJoCo's contacts are accelerations that are scaled by the mass they meet. Here their rows are written anew in each
    step, between its two halves: the force follows from the state at the step's start, which keeps the energy of a
    spring; where that would be unstable, since the spring turns the foot round in less than a step, from its end.
    """

    def __init__(self, feet: Mapping[int, FootSpec], step: float) -> None:
        """`feet` by their geoms' numbers, `step` in s."""
        self._constants = {geom: (foot.stiffness or 0.0, foot.damping or 0.0) for geom, foot in feet.items()}
        self._step = step

    def write(self, data: Any) -> None:
        """Give the touching ones their force."""
        h = self._step
        regulariser, reference = data.efc_R, data.efc_aref
        for contact in data.contact:
            row = contact.efc_address
            if contact.geom2 not in self._constants or row < 0:
                continue
            stiffness, damping = self._constants[contact.geom2]
            mobility = float(regulariser[row]) * SHARE / (1.0 - SHARE)  # 1/kg
            late = (
                stiffness * h * h + damping * h
            )  # kg: what a force from the step's end depends on its acceleration by
            share = min(1.0, late * mobility)
            depth, sinking = -float(data.efc_pos[row]), -float(data.efc_vel[row])
            force = max(0.0, stiffness * (depth + share * h * sinking) + damping * sinking)
            yielding = share * late + YIELDING / mobility
            regulariser[row], data.efc_D[row], reference[row] = 1.0 / yielding, yielding, force / yielding
            contact.mu = contact.friction[0] * math.sqrt(float(regulariser[row + 1]) * yielding)
