"""Contacts in MuJoCo: constants of rigid contacts, and compliant feet. docs/physics_engines.md has the derivation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.robot.robot_spec import FootSpec
from crawler_core.types import FloatArray

IMPEDANCE = 0.01  # d of a rigid contact: the share of the sliding that pushes the contact up
FRICTION_STIFFNESS = 1e5  # of friction over that of the normal force: a foot that sticks hardly creeps
MAX_TOTAL_DAMPING = 1.2  # share of the speed into the ground that all feet together take in a step; above 2 it grows
MAX_DAMPING = 0.8  # share that one contact takes
DAMPING_RATIO = 2.0  # a foot that lands rebounds with 6 % of its speed at most; critically damped, with 25 %
REGULARISER_SHARE = 1e-4  # of a compliant foot's mobility: how little its force depends on other forces


@dataclass(frozen=True)
class RigidContact:
    """MuJoCo's constants of a contact that takes the share `damping` of a speed into the ground in a `step` (s)."""

    damping: float
    step: float

    @property
    def solref(self) -> tuple[float, float]:
        rate = self.damping / self.step
        return (-((0.5 * rate / DAMPING_RATIO) ** 2), -rate)

    @property
    def solreffriction(self) -> tuple[float, float]:
        """Return the constants by which friction stops the sliding within the step."""
        return (-1.0, -IMPEDANCE / self.step)

    @property
    def solimp(self) -> tuple[float, float, float, float, float]:
        return constant_impedance(IMPEDANCE)


def constant_impedance(impedance: float) -> tuple[float, float, float, float, float]:
    """Return solimp of an impedance that does not depend on the depth."""
    return (impedance, impedance, 1e-3, 0.5, 2.0)


def damping_per_foot(mobility: FloatArray) -> float:
    """Return the share of a speed that each rigid foot may take, given `mobility`, the vertical J M^-1 J' (1/kg).

    A contact is tuned as if it were alone. Where several lift the same body they add up, and each must take less.
    """
    own = np.sqrt(np.diag(mobility))
    moving = own > 1e-6  # a foot that cannot be lifted does not count
    if not moving.any():
        return MAX_DAMPING
    together = float(np.linalg.eigvalsh((mobility / np.outer(own, own))[np.ix_(moving, moving)])[-1])
    return min(MAX_DAMPING, MAX_TOTAL_DAMPING * (1.0 - IMPEDANCE + IMPEDANCE * together) / together)


class CompliantFeet:
    """Compliant feet: a force of stiffness times depth and damping times speed, for any mass behind it.

    MuJoCo's contacts are accelerations, scaled by the mass that they meet. Their rows are replaced in each step,
    between its two halves. The force follows from the state at the step's start, which keeps the energy of a spring.
    Where that is unstable, because the spring reverses the foot in less than a step, it follows from its end.
    """

    def __init__(self, feet: Mapping[int, FootSpec], step: float) -> None:
        """`feet` by their geoms' numbers, `step` in s."""
        self._constants = {geom: (foot.stiffness or 0.0, foot.damping or 0.0) for geom, foot in feet.items()}
        self._step = step

    def replace_rows(self, data: Any) -> None:
        """Set the force of each compliant foot in contact."""
        h = self._step
        regulariser, reference, velocity, height = data.efc_R, data.efc_aref, data.efc_vel, data.efc_pos
        # columns of all contacts at once: MuJoCo's bindings take longer for one contact than the arithmetic below
        touching = data.contact
        columns = touching.geom2.tolist(), touching.efc_address.tolist(), touching.friction[:, 0].tolist()
        for contact, (geom, row, friction) in enumerate(zip(*columns, strict=True)):
            if geom not in self._constants or row < 0:
                continue
            stiffness, damping = self._constants[geom]
            mobility = float(regulariser[row]) * IMPEDANCE / (1.0 - IMPEDANCE)  # 1/kg
            implicit = stiffness * h * h + damping * h  # kg: change of the force at the step's end per acceleration
            share = min(1.0, implicit * mobility)
            depth, sinking = -float(height[row]), -float(velocity[row])
            force = max(0.0, stiffness * (depth + share * h * sinking) + damping * sinking)
            inverse = share * implicit + REGULARISER_SHARE / mobility
            # in MuJoCo's cone sliding adds to the normal force: friction times the deceleration that would stop it
            push = friction * math.hypot(velocity[row + 1], velocity[row + 2]) / h
            regulariser[row], data.efc_D[row], reference[row] = 1.0 / inverse, inverse, force / inverse - push
            touching.mu[contact] = friction * math.sqrt(float(regulariser[row + 1]) * inverse)
