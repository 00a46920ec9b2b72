"""Joint tracking: the servos get the reference of the end of the tick, as in the paper's experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact
from hybrid_controller.laws.law import LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry, all_by_position
from hybrid_controller.laws.setpoint_clamp import SetpointClamp
from hybrid_controller.reference.horizon import Point

JOINT_TRACKING = "joint_tracking"


@dataclass(frozen=True)
class JointTrackingParameters:
    """It has none: the loop is closed inside the servos."""


class JointTracking:
    """Open loop over the joints, closed inside each of them."""

    reads_contacts: ClassVar[bool] = False
    reads_odometry: ClassVar[bool] = False
    estimated: ClassVar[tuple[Contact, ...]] = ()
    report: ClassVar[LawReport] = LawReport(JOINT_TRACKING)

    def __init__(self, spec: RobotSpec, _parameters: JointTrackingParameters, _dt: float) -> None:
        self._clamp = SetpointClamp(spec)

    def tune(self, parameters: JointTrackingParameters) -> None:
        """There is nothing to tune."""

    def restart(self) -> None:
        """Nothing is remembered."""

    def observe(self, measured: Measured) -> None:
        """Nothing is needed of the state."""

    def compute(self, measured: Measured, commanded: Setpoint, now: Point, ahead: Point) -> Setpoint:
        return self._clamp(ahead.position, ahead.velocity)


LAW = LawEntry(JointTrackingParameters, JointTracking, check=all_by_position, transparent=True)
