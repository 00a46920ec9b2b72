"""Effort tracking: a spring and damper per effort-driven joint; other joints get the reference as setpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode
from hybrid_controller.estimation.foot_events import LIFT_OFF, TOUCH_DOWN
from hybrid_controller.laws.law import Law, LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry
from hybrid_controller.laws.setpoint_clamp import SetpointClamp
from hybrid_controller.reference.horizon import ReferencePoint

EFFORT_TRACKING = "effort_tracking"


@dataclass(frozen=True)
class EffortTrackingParameters:
    """Spring and damper between a joint and its reference, and the event that restarts the reference."""

    stiffness: float = parameter(
        1.0, unit="N·m/rad", lower=0.0, upper=1e4, doc="of the spring between joint and reference"
    )
    damping: float = parameter(0.05, unit="N·m·s/rad", lower=0.0, upper=1e3, doc="of the damper in parallel")
    restart: str = parameter(
        "none",
        choices=("none", TOUCH_DOWN, LIFT_OFF),
        constant=True,
        doc="event at which the reference of these joints restarts at their angle",
    )
    restart_foot: str = parameter("", constant=True, doc="foot of that event; empty: any")


class EffortTracking(Law):
    """effort = stiffness (reference - angle) + damping (reference's rate - rate), at the start of the tick.

    At the event that `restart` names, in the tick that observes it, the reference is shifted to the joint's angle. The
    error of a continuous joint is taken to the nearest revolution, so that a joint that was held does not catch up.
    """

    def __init__(self, spec: RobotSpec, parameters: EffortTrackingParameters, _dt: float) -> None:
        """Raises UserError for a foot that the robot does not have."""
        if parameters.restart_foot and parameters.restart_foot not in spec.foot_names:
            raise unknown_name("foot for controller.restart_foot", parameters.restart_foot, spec.foot_names)
        self._joints = spec.actuated
        self._clamp = SetpointClamp(spec)
        self._restart_event, self._foot = parameters.restart, parameters.restart_foot
        self.reads_contacts = parameters.restart != "none"
        self.tune(parameters)
        self.restart()

    def tune(self, parameters: EffortTrackingParameters) -> None:
        """Change stiffness and damping; the restart event is constant."""
        self._stiffness, self._damping = parameters.stiffness, parameters.damping

    def restart(self) -> None:
        self._shift = [0.0] * len(self._joints)  # rad, of each joint's reference
        self._restart_due = False  # the event was observed, and `compute` has not been called since
        self.report = LawReport(EFFORT_TRACKING)

    def observe(self, measured: Measured) -> None:
        for event in measured.events:
            self._restart_due |= event.kind == self._restart_event and self._foot in ("", event.foot)

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        if self._restart_due:
            self._shift = [q - r for q, r in zip(measured.position, now.position, strict=True)]
            self._restart_due = False
        position, efforts, limited = list(ahead.position), [], []
        for i, joint in enumerate(self._joints):
            effort = wanted = math.nan
            if joint.is_effort_driven:
                wanted = self._effort(i, measured, now)
                effort = min(max(wanted, -joint.effort), joint.effort)
                position[i] += self._shift[i]
            efforts.append(effort)
            limited.append(joint.is_effort_driven and effort != wanted)
        self.report = LawReport(EFFORT_TRACKING, self._contact_note(measured))
        clamped = self._clamp(position, ahead.velocity)
        saturated = [a or b for a, b in zip(clamped.saturated, limited, strict=True)]
        return Setpoint(clamped.position, clamped.velocity, saturated, efforts)

    def _effort(self, i: int, measured: Measured, now: ReferencePoint) -> float:
        """Return the effort (N·m) of spring and damper for joint `i`."""
        error = now.position[i] + self._shift[i] - measured.position[i]
        if self._joints[i].continuous:
            error -= math.tau * round(error / math.tau)
        return self._stiffness * error + self._damping * (now.velocity[i] - measured.velocity[i])

    def _contact_note(self, measured: Measured) -> str:
        if not self.reads_contacts or any(
            contact.mode is not ContactMode.UNKNOWN and self._foot in ("", contact.foot)
            for contact in measured.contacts
        ):
            return ""
        return "nothing is known of the contacts: the reference does not restart"


def _require_effort_drives(spec: RobotSpec) -> None:
    if not any(joint.is_effort_driven for joint in spec.actuated):
        raise UserError(
            f"the law 'effort_tracking' is for effort-driven joints, and {spec.name} has none: "
            f"use the control law joint_tracking."
        )


LAW_ENTRY = LawEntry(EffortTrackingParameters, EffortTracking, check=_require_effort_drives)
