"""Joint tracking: the servos get the reference of the end of the tick, as in the paper's experiments."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.laws.law import Law, LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry, require_position_drives
from hybrid_controller.laws.setpoint_clamp import SetpointClamp
from hybrid_controller.reference.horizon import ReferencePoint

JOINT_TRACKING = "joint_tracking"


@dataclass(frozen=True)
class JointTrackingParameters:
    """No parameters: the loop is closed inside the servos."""


class JointTracking(Law):
    """Open loop over the joints; each servo closes its own."""

    report = LawReport(JOINT_TRACKING)

    def __init__(self, spec: RobotSpec, _parameters: JointTrackingParameters, _dt: float) -> None:
        self._clamp = SetpointClamp(spec)

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        return self._clamp(ahead.position, ahead.velocity)


LAW_ENTRY = LawEntry(JointTrackingParameters, JointTracking, check=require_position_drives, transparent=True)
