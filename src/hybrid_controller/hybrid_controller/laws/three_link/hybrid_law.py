"""The hybrid feedback law (19): contact velocities are tracked while both feet slip, joints otherwise.

The law prescribes accelerations in continuous time, and servos take setpoints. Each line is therefore integrated over
the tick: errors of joints and contact velocities decay as (19) prescribes, whatever the tick's length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import expm

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.equations.contact_map import Pair, SingularContacts, slopes
from crawler_models.three_link.equations.foot_mode import Mode
from crawler_models.three_link.estimation.contact_observer import ContactObserver
from crawler_models.three_link.feedback.feedback_law import JointReference, contact_reference
from crawler_models.three_link.feedback.prediction import predict_feedback
from hybrid_controller.laws.joint_tracking import JOINT_TRACKING
from hybrid_controller.laws.law import Law, LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry, LawPrediction, require_position_drives
from hybrid_controller.laws.three_link.believed_servo import BelievedServo
from hybrid_controller.laws.three_link.branch import Branch
from hybrid_controller.laws.three_link.contact_reading import ContactReading, ContactsUnavailable, read_contacts
from hybrid_controller.laws.three_link.hybrid_parameters import COMMANDED, ESTIMATED, HybridParameters
from hybrid_controller.laws.three_link.servo_check import believed_servo, check_servos
from hybrid_controller.laws.three_link.tick_limiter import TickLimiter
from hybrid_controller.reference.horizon import ReferencePoint

CONTACT_TRACKING = "contact_tracking"
# share of the supervisor's tracking tolerance by which setpoints may lead a joint, beyond the lag of its servo
LEAD_SHARE = 0.5


class _Joints(NamedTuple):
    """The joints that are fed back, at the start of a tick."""

    position: list[float]  # rad
    velocity: list[float]  # rad/s


class HybridLaw(Law):
    """Applies (19) once per tick. Without usable contacts it tracks the joints, and its report says why."""

    def __init__(self, spec: RobotSpec, parameters: HybridParameters, dt: float) -> None:
        """Raises UserError for a robot that is not a three-link crawler."""
        robot, (scale_1, scale_2) = (
            three_link_of(spec),
            (parameters.believed_friction_1, parameters.believed_friction_2),
        )
        self._robot = replace(robot, mu1=scale_1 * robot.mu1, mu2=scale_2 * robot.mu2)
        self._feet = spec.foot_names
        self._joint_names = spec.actuated_names
        self._dt = dt
        self._limit = TickLimiter(spec, dt)
        self._max_lead = LEAD_SHARE * spec.safety.tracking_tolerance
        self._servo = BelievedServo(believed_servo(spec, parameters).lag, dt)
        self._feeds_back_setpoints = parameters.joints == COMMANDED
        self._observer = ContactObserver(self._robot, self._feet)
        self.reads_odometry = parameters.contacts == ESTIMATED
        self.reads_contacts = not self.reads_odometry
        self.tune(parameters)
        self.restart()

    def tune(self, parameters: HybridParameters) -> None:
        """Change gains and ranges; the sources of joints and contacts are constant."""
        law, dt = parameters.law, self._dt
        self._law = law
        self._observer.gain = parameters.odometry_gain
        # change of a joint error's rate over a tick, per error and per rate; and of a contact velocity's error
        self._rate_change = (expm(np.array([[0.0, 1.0], [-law.k_p, -law.k_d]]) * dt) - np.eye(2))[1].tolist()
        self._contact_change = math.expm1(-law.k_v * dt)

    def restart(self) -> None:
        self._branch = Branch()
        self._servo.restart()
        self._observer.restart()
        self.estimated = ()
        self.report = LawReport(JOINT_TRACKING)

    def observe(self, measured: Measured) -> None:
        if self.reads_odometry:
            self.estimated = self._observer.update(
                measured.time_ns, measured.position, measured.velocity, measured.odometry
            )

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        start, blocked = self._limit_lead(measured, commanded)
        fed_back = start if self._feeds_back_setpoints else measured
        joints = _Joints(fed_back.position, fed_back.velocity)
        note = f"{blocked} does not follow: its setpoint waits for it" if blocked else ""
        try:
            contacts = read_contacts(self.estimated if self.reads_odometry else measured.contacts, self._feet)
            if self._branch.update(self._law, measured.time_ns, contacts.both_slip, _pair(joints.position)):
                return self._track_contacts(joints, start, contacts, now, ahead, note)
        except (ContactsUnavailable, SingularContacts, ArithmeticError) as error:
            self._branch.leave(measured.time_ns)
            note = "; ".join(filter(None, (note, f"{str(error).rstrip('.')}: tracking the joints")))
        self.report = LawReport(JOINT_TRACKING, note)
        return self._track_joints(joints, start, now, ahead)

    def _limit_lead(self, measured: Measured, commanded: Setpoint) -> tuple[Setpoint, str]:
        """Return the setpoints that the tick starts from, and the joint that they had to wait for, if any.

        A setpoint may lead its joint by the lag of the believed servo, and by `LEAD_SHARE` of the tracking tolerance.
        """
        position, blocked = list(commanded.position), ""
        leads = self._servo.lead(measured, commanded)
        for i, (setpoint, angle, lead) in enumerate(zip(commanded.position, measured.position, leads, strict=True)):
            lowest, highest = angle + min(lead, 0.0) - self._max_lead, angle + max(lead, 0.0) + self._max_lead
            position[i] = min(max(setpoint, lowest), highest)
            if position[i] != setpoint:
                blocked = self._joint_names[i]
        return Setpoint(position, commanded.velocity, commanded.saturated), blocked

    def _track_joints(self, joints: _Joints, start: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        """Apply the second line of (19): the reference's own change, and the decay of the error of `joints`.

        The setpoints' error moves with its own rate, whatever was measured: a position and a velocity that do not
        belong together would move the joints between setpoints in a way that the measured velocity does not show.
        """
        per_error, per_rate = self._rate_change
        position, velocity = [], []
        for i in (0, 1):
            e = joints.position[i] - now.position[i]
            de = joints.velocity[i] - now.velocity[i]
            before = start.velocity[i] - now.velocity[i]
            after = before + per_error * e + per_rate * de
            error = start.position[i] - now.position[i] + 0.5 * self._dt * (before + after)
            position.append(ahead.position[i] + error)
            velocity.append(ahead.velocity[i] + after)
        return self._limit(start, position, velocity)

    def _track_contacts(
        self,
        joints: _Joints,
        start: Setpoint,
        contacts: ContactReading,
        now: ReferencePoint,
        ahead: ReferencePoint,
        note: str,
    ) -> Setpoint:
        """Apply the first line of (19): the mean contact accelerations over the tick, as joint accelerations."""
        robot, dt = self._robot, self._dt
        reference = contact_reference(robot, _joint_reference(now)).v
        goal = contact_reference(robot, _joint_reference(ahead)).v
        wanted = (
            (goal[0] - reference[0] + self._contact_change * (contacts.v[0] - reference[0])) / dt,
            (goal[1] - reference[1] + self._contact_change * (contacts.v[1] - reference[1])) / dt,
        )
        ddq = self._joint_accelerations(joints, contacts.mode, wanted)
        self.report = LawReport(
            CONTACT_TRACKING,
            note,
            slip_reference=(0.0 - reference[0], 0.0 - reference[1]),
            slip_velocity=(0.0 - contacts.v[0], 0.0 - contacts.v[1]),
        )
        velocity = [v + a * dt for v, a in zip(start.velocity, ddq, strict=True)]
        position = [x + 0.5 * (v + w) * dt for x, v, w in zip(start.position, start.velocity, velocity, strict=True)]
        return self._limit(start, position, velocity)

    def _joint_accelerations(self, joints: _Joints, mode: Mode, wanted: Pair) -> Pair:
        """Return the joint accelerations (rad/s²) that give the contacts the accelerations `wanted` (m/s²).

        S1 and S0 are those of the middle of the tick, found from a first guess at its start. Raises SingularContacts
        or ArithmeticError where there are none.
        """
        q, dq = _pair(joints.position), _pair(joints.velocity)
        ddq: Pair = (0.0, 0.0)
        for h in (0.0, 0.5 * self._dt):
            middle = tuple(x + h * v + 0.5 * h * h * a for x, v, a in zip(q, dq, ddq, strict=True))
            rate = tuple(v + h * a for v, a in zip(dq, ddq, strict=True))
            contact_map = slopes(self._robot, _pair(middle), _pair(rate)).contact_map(self._robot, mode)
            ddq = contact_map.joint_accelerations(wanted)
        if not math.isfinite(ddq[0] + ddq[1]):
            raise ArithmeticError("The joint accelerations for the contacts are not finite")
        return ddq


def three_link_of(spec: RobotSpec) -> ThreeLink:
    """Return the equations' robot. Raises UserError for a robot that the law (19) does not fit."""
    require_position_drives(spec)
    try:
        robot = ThreeLink.from_parameters(spec.parameters)
    except ValueError as error:
        raise UserError(f"the law 'hybrid' is for three-link crawlers, and {spec.name} is none: {error}") from None
    if len(spec.actuated) != 2 or len(spec.feet) != 2:
        raise UserError(
            f"the law 'hybrid' is for two joints and two feet, and {spec.name} has {len(spec.actuated)} and "
            f"{len(spec.feet)}: use another control law."
        )
    return robot


def _pair(values: Sequence[float]) -> Pair:
    return values[0], values[1]


def _joint_reference(point: ReferencePoint) -> JointReference:
    return JointReference(_pair(point.position), _pair(point.velocity), _pair(point.acceleration))


def _predict(spec: RobotSpec, gait: PeriodicMotion, parameters: HybridParameters) -> dict[str, Any]:
    return predict_feedback(spec, gait, parameters.law)


LAW_ENTRY = LawEntry(
    HybridParameters,
    HybridLaw,
    check=three_link_of,
    prediction=LawPrediction("equations with the feedback in continuous time", _predict),
    marks={CONTACT_TRACKING: "contacts tracked"},
    check_run=check_servos,
)
