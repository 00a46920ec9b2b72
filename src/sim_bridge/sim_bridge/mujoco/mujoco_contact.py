"""How bodies touch in MuJoCo: constants of rigid contacts, and feet that give way. docs/physics_engines.md says why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.robot.robot_spec import FootSpec
from crawler_core.types import FloatArray

SHARE = 0.01  # the impedance d of a rigid contact: so little of what slides pushes the contact up
STIFFER = 1e5  # friction's regulariser is so much smaller than the normal force's: a foot that sticks hardly creeps
TAKEN = 1.2  # of the speed into the ground, all feet together take in a step: beyond 2 it would grow
MOST = 0.8  # of it, that one contact takes
OVERDAMPED = 2.0  # times critically: a foot that lands is thrown back with 6 % of its speed at most, else with 25 %
YIELDING = 1e-4  # of a compliant foot's mobility: so little does its force depend on what else acts on it


@dataclass(frozen=True)
class Rigid:
    """A contact that takes the share `taken` (1) of a speed into the ground in a `step` (s), in MuJoCo's words."""

    taken: float
    step: float

    @property
    def solref(self) -> tuple[float, float]:
        rate = self.taken / self.step
        return (-((0.5 * rate / OVERDAMPED) ** 2), -rate)

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


def taken_by_each(mobility: FloatArray) -> float:
    """What each rigid foot may take, given how a force on each accelerates all, J M^-1 J' (1/kg) upwards.

    A contact is tuned as if it were alone. Where many lift the same body they act together, and each must do less.
    """
    own = np.sqrt(np.diag(mobility))
    moving = own > 1e-6  # a foot that cannot be lifted says nothing
    if not moving.any():
        return MOST
    together = float(np.linalg.eigvalsh((mobility / np.outer(own, own))[np.ix_(moving, moving)])[-1])
    return min(MOST, TAKEN * (1.0 - SHARE + SHARE * together) / together)


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
        regulariser, reference, velocity, height = data.efc_R, data.efc_aref, data.efc_vel, data.efc_pos
        # columns of all contacts at once: a contact by itself costs MuJoCo's bindings more than the arithmetic below
        touching = data.contact
        columns = touching.geom2.tolist(), touching.efc_address.tolist(), touching.friction[:, 0].tolist()
        for contact, (geom, row, friction) in enumerate(zip(*columns, strict=True)):
            if geom not in self._constants or row < 0:
                continue
            stiffness, damping = self._constants[geom]
            mobility = float(regulariser[row]) * SHARE / (1.0 - SHARE)  # 1/kg
            late = (
                stiffness * h * h + damping * h
            )  # kg: what a force from the step's end depends on its acceleration by
            share = min(1.0, late * mobility)
            depth, sinking = -float(height[row]), -float(velocity[row])
            force = max(0.0, stiffness * (depth + share * h * sinking) + damping * sinking)
            yielding = share * late + YIELDING / mobility
            # MuJoCo's cone has what slides push itself up, by friction times the deceleration that would stop it
            push = friction * math.hypot(velocity[row + 1], velocity[row + 2]) / h
            regulariser[row], data.efc_D[row], reference[row] = 1.0 / yielding, yielding, force / yielding - push
            touching.mu[contact] = friction * math.sqrt(float(regulariser[row + 1]) * yielding)
