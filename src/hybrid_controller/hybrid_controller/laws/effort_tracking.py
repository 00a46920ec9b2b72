"""Effort tracking: joints that are driven by effort are drawn to the reference, the others get it as their setpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact, ContactMode
from hybrid_controller.estimation.foot_events import LIFT_OFF, TOUCH_DOWN
from hybrid_controller.laws.law import LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry
from hybrid_controller.laws.setpoint_clamp import SetpointClamp
from hybrid_controller.reference.horizon import Point

EFFORT_TRACKING = "effort_tracking"
TURN = 2.0 * math.pi


@dataclass(frozen=True)
class EffortTrackingParameters:
    """The spring and the damper between a joint and its reference, and when the reference begins anew."""

    stiffness: float = parameter(1.0, unit="N·m/rad", low=0.0, high=1e4, doc="of the spring that draws a joint")
    damping: float = parameter(0.05, unit="N·m·s/rad", low=0.0, high=1e3, doc="of the damper beside it")
    restart: str = parameter(
        "none",
        choices=("none", TOUCH_DOWN, LIFT_OFF),
        constant=True,
        doc="at which event the reference of these joints begins anew where they are",
    )
    restart_foot: str = parameter("", constant=True, doc="the foot whose event it is; empty: any")


class EffortTracking:
    """effort = stiffness (reference - angle) + damping (reference's rate - rate), at the start of the tick.

    At the event that `restart` names the reference is shifted to where the joint is, in the tick that observes it. Of a
    continuous joint the nearest revolution counts, so that one that was held does not make up for what it missed.
    """

    reads_odometry = False
    estimated: Sequence[Contact] = ()
    reads_contacts: bool

    def __init__(self, spec: RobotSpec, parameters: EffortTrackingParameters, _dt: float) -> None:
        """Raises UserError for a foot that the robot does not have."""
        if parameters.restart_foot and parameters.restart_foot not in spec.foot_names:
            raise unknown_name("foot for controller.restart_foot", parameters.restart_foot, spec.foot_names)
        self._joints = spec.actuated
        self._clamp = SetpointClamp(spec)
        self._restart, self._foot = parameters.restart, parameters.restart_foot
        self.reads_contacts = parameters.restart != "none"
        self.tune(parameters)
        self.restart()

    def tune(self, parameters: EffortTrackingParameters) -> None:
        """Take another spring and damper; the event stays."""
        self._stiffness, self._damping = parameters.stiffness, parameters.damping

    def restart(self) -> None:
        self._shift = [0.0] * len(self._joints)  # rad, of each joint's reference
        self._due = False  # the event has come, and the law has not been asked since
        self.report = LawReport(EFFORT_TRACKING)

    def observe(self, measured: Measured) -> None:
        for event in measured.events:
            self._due |= event.kind == self._restart and self._foot in ("", event.foot)

    def compute(self, measured: Measured, commanded: Setpoint, now: Point, ahead: Point) -> Setpoint:
        if self._due:
            self._shift = [q - r for q, r in zip(measured.position, now.position, strict=True)]
            self._due = False
        position, efforts, cut = list(ahead.position), [], []
        for i, joint in enumerate(self._joints):
            if not joint.by_effort:
                efforts.append(math.nan)
                cut.append(False)
                continue
            error = now.position[i] + self._shift[i] - measured.position[i]
            if joint.continuous:
                error -= TURN * round(error / TURN)
            wanted = self._stiffness * error + self._damping * (now.velocity[i] - measured.velocity[i])
            effort = min(max(wanted, -joint.effort), joint.effort)
            position[i] += self._shift[i]
            efforts.append(effort)
            cut.append(effort != wanted)
        blind = self.reads_contacts and not any(
            contact.mode is not ContactMode.UNKNOWN and self._foot in ("", contact.foot)
            for contact in measured.contacts
        )
        note = "nothing is known of the contacts: the reference does not begin anew" if blind else ""
        self.report = LawReport(EFFORT_TRACKING, note)
        safe = self._clamp(position, ahead.velocity)
        return Setpoint(
            safe.position, safe.velocity, [a or b for a, b in zip(safe.saturated, cut, strict=True)], efforts
        )


def _has_effort_joints(spec: RobotSpec) -> None:
    if not any(joint.by_effort for joint in spec.actuated):
        raise UserError(
            f"the law 'effort_tracking' is for joints that are driven by effort, and {spec.name} has none: "
            f"use the control law joint_tracking."
        )


LAW = LawEntry(EffortTrackingParameters, EffortTracking, check=_has_effort_joints)
