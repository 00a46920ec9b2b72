"""Joint tracking: the servos get the reference of the end of the tick, as in the paper's experiments."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.robot import RobotSpec
from hybrid_controller.laws.clamp import Clamp
from hybrid_controller.laws.law import Measured, Setpoint
from hybrid_controller.reference import Point


@dataclass(frozen=True)
class JointTrackingParameters:
    """It has none: the loop is closed inside the servos."""


class JointTracking:
    """Open loop over the joints, closed inside each of them."""

    needs_contacts = False

    def __init__(self, spec: RobotSpec, _parameters: JointTrackingParameters, _dt: float) -> None:
        self._clamp = Clamp(spec)

    def compute(self, measured: Measured, now: Point, ahead: Point) -> Setpoint:
        return self._clamp(ahead.position, ahead.velocity)
