"""Estimator of the three-link robot: its contact observer, with foot 1's velocity integrated to the base's place."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Observation
from crawler_models.estimation.estimator_entry import EstimatorEntry
from crawler_models.interface.estimator import Six, StateEstimate
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.estimation.contact_observer import ContactObserver

MIN_PERIOD_NS = 4_000_000  # between two steps of the equations, which are exact enough over it
HEIGHT_SIGMA_M, PITCH_SIGMA_RAD = 5e-4, 0.005


@dataclass(frozen=True)
class StickSlipParameters:
    """Settings of the estimator."""

    distance_error: float = parameter(
        0.05, lower=0.0, upper=10.0, doc="standard deviation of a distance, as a share of the way; for the covariance"
    )


class StickSlip:
    """Runs the stick-slip equations along the measured joints. Contacts are estimated with the base."""

    def __init__(self, spec: RobotSpec, parameters: StickSlipParameters) -> None:
        self._observer = ContactObserver(_three_link(spec), spec.foot_names)
        self._distance_error = parameters.distance_error
        self.restart()

    def restart(self) -> None:
        self._observer.restart()
        self._x = self._way = 0.0  # m
        self._waiting: Observation | None = None  # a state that the equations have not taken yet
        self._next_ns = -1  # when they take the next one

    def update(self, measured: Observation) -> None:
        self._waiting = measured
        if measured.time_ns >= self._next_ns:
            self._advance()

    def _advance(self) -> None:
        """Run the equations to the state that waits; there is none after one with a joint that is not known."""
        measured, self._waiting = self._waiting, None
        if measured is None:
            return
        q, dq = measured.position.tolist(), measured.velocity.tolist()
        if math.isfinite(sum(q) + sum(dq)):
            self._next_ns = measured.time_ns + MIN_PERIOD_NS
            self._observer.update(measured.time_ns, q, dq)

    def estimate(self) -> StateEstimate | None:
        self._advance()
        contacts = self._observer.contacts
        if not contacts:
            return None
        base = self._observer.base()
        x, vx = base.position[0], base.linear[0]
        self._way += abs(x - self._x)
        self._x = x
        spread, speed = (self._distance_error * self._way) ** 2, (self._distance_error * vx) ** 2
        pose: Six = (spread, 0.0, HEIGHT_SIGMA_M**2, 0.0, PITCH_SIGMA_RAD**2, 0.0)
        twist: Six = (speed, 0.0, speed, 0.0, PITCH_SIGMA_RAD**2, 0.0)
        known = all(math.isfinite(contact.slip_velocity[0]) for contact in contacts)
        note = "" if known else "the equations have no solution for these joints: the feet are not known"
        return StateEstimate(base, pose, twist, contacts, note)


def _three_link(spec: RobotSpec) -> ThreeLink:
    try:
        robot = ThreeLink.from_parameters(spec.parameters)
    except ValueError as error:
        raise UserError(
            f"the estimator stick_slip is for three-link crawlers, and {spec.name} is none: {error}"
        ) from None
    if len(spec.joints) != 2 or len(spec.feet) != 2:
        raise UserError(
            f"the estimator stick_slip is for two joints and two feet, and {spec.name} has {len(spec.joints)} and "
            f"{len(spec.feet)}: use foot_kinematics."
        )
    return robot


ESTIMATOR_ENTRY = EstimatorEntry(StickSlipParameters, StickSlip)
