"""The hybrid feedback law (19): contact velocities are tracked while both feet slip, joints otherwise.

The law prescribes accelerations in continuous time; servos want setpoints. Each line of it is therefore integrated over
the tick: errors of the joints and of the contact velocities decay as (19) makes them decay, whatever the tick's length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import expm

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.equations.contact_map import Pair, SingularContacts, slopes
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw, JointReference, contact_reference
from crawler_models.three_link.feedback.prediction import predict_feedback
from hybrid_controller.estimation.contact_observer import ContactObserver
from hybrid_controller.estimation.contact_reading import FeetReading, read_feet
from hybrid_controller.laws.branch import Branch
from hybrid_controller.laws.joint_tracking import JOINT_TRACKING
from hybrid_controller.laws.law import LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry, LawPrediction, all_by_position
from hybrid_controller.laws.tick_limiter import TickLimiter
from hybrid_controller.reference.horizon import Point

CONTACT_TRACKING = "contact_tracking"
ESTIMATED = "estimated"
# of the tolerance at which the supervisor calls it a fault: setpoints do not run further ahead of a joint that hangs
LEAD = 0.5


@dataclass(frozen=True)
class HybridParameters:
    """Gains and range of (19), and where the contacts come from."""

    k_v: float = parameter(10.0, unit="1/s", low=0.0, high=1000.0, doc="gain K_v on contact velocities")
    k_p: float = parameter(80.0, unit="1/s²", low=0.0, high=1e5, doc="gain K_P on joint angles")
    k_d: float = parameter(100.0, unit="1/s", low=0.0, high=1e4, doc="gain K_D on joint velocities")
    phi_min: float = parameter(90.0, unit="deg", low=0.0, high=180.0, doc="lower end of Phi")
    phi_max: float = parameter(130.0, unit="deg", low=0.0, high=180.0, doc="upper end of Phi")
    hysteresis: float = parameter(0.1, unit="deg", low=0.0, high=20.0, doc="how far inside Phi contacts are taken up")
    dwell: float = parameter(0.004, unit="s", low=0.0, high=1.0, doc="least time of joint tracking in between")
    contacts: str = parameter(
        "backend", choices=("backend", ESTIMATED), constant=True, doc="where contact modes and velocities come from"
    )
    odometry_gain: float = parameter(
        0.3, low=0.0, high=1.0, doc="share of the difference to odometry by which an estimate is corrected"
    )

    def __post_init__(self) -> None:
        if self.phi_min >= self.phi_max:
            raise UserError(
                f"controller.phi_min = {self.phi_min:g} must be less than controller.phi_max = {self.phi_max:g} deg."
            )

    @property
    def law(self) -> FeedbackLaw:
        """The same in SI units."""
        return FeedbackLaw(
            k_v=self.k_v,
            k_p=self.k_p,
            k_d=self.k_d,
            phi_min=math.radians(self.phi_min),
            phi_max=math.radians(self.phi_max),
            hysteresis=math.radians(self.hysteresis),
            dwell=self.dwell,
        )


class Hybrid:
    """(19) once per tick. Without trustworthy contacts it tracks the joints, and its report says why."""

    reads_contacts: bool
    reads_odometry: bool

    def __init__(self, spec: RobotSpec, parameters: HybridParameters, dt: float) -> None:
        """Raises UserError for a robot that is no three-link crawler."""
        self._robot = three_link_of(spec)
        self._feet = spec.foot_names
        self._dt = dt
        self._reach = TickLimiter(spec, dt)
        self._lead = LEAD * spec.safety.tracking_tolerance
        self._observer = ContactObserver(self._robot, self._feet)
        self.reads_odometry = parameters.contacts == ESTIMATED
        self.reads_contacts = not self.reads_odometry
        self.tune(parameters)
        self.restart()

    def tune(self, parameters: HybridParameters) -> None:
        """Take other parameters on the way; where the contacts come from cannot change."""
        law, dt = parameters.law, self._dt
        self._law = law
        self._observer.gain = parameters.odometry_gain
        # what a tick does to the rate of a joint's error, by that error and by its rate; and to a contact velocity
        self._rate_change = (expm(np.array([[0.0, 1.0], [-law.k_p, -law.k_d]]) * dt) - np.eye(2))[1].tolist()
        self._contact_change = math.expm1(-law.k_v * dt)

    def restart(self) -> None:
        self._branch = Branch()
        self._observer.restart()
        self.report = LawReport(JOINT_TRACKING)

    @property
    def estimated(self) -> Sequence[Contact]:
        return self._observer.contacts if self.reads_odometry else ()

    def observe(self, measured: Measured) -> None:
        if self.reads_odometry:
            self._observer.update(measured.time_ns, measured.position, measured.velocity, measured.odometry)

    def compute(self, measured: Measured, commanded: Setpoint, now: Point, ahead: Point) -> Setpoint:
        start = self._within_reach(measured, commanded)
        q = (measured.position[0], measured.position[1])
        feet = read_feet(self.estimated if self.reads_odometry else measured.contacts, self._feet)
        both_slip = isinstance(feet, FeetReading) and 0 not in feet.mode
        note = "" if isinstance(feet, FeetReading) else f"{feet}: tracking the joints"
        if self._branch.update(self._law, measured.time_ns, both_slip, q) and isinstance(feet, FeetReading):
            try:
                return self._track_contacts(measured, start, feet, now, ahead)
            except (SingularContacts, ArithmeticError) as error:
                note = f"{str(error).rstrip('.')}: tracking the joints"
                self._branch.leave(measured.time_ns)
        self.report = LawReport(JOINT_TRACKING, note)
        return self._track_joints(measured, start, now, ahead)

    def _within_reach(self, measured: Measured, commanded: Setpoint) -> Setpoint:
        """Where the tick starts from: the last setpoints, but not far ahead of joints that do not follow."""
        lead = self._lead
        position = [
            min(max(wanted, is_at - lead), is_at + lead)
            for wanted, is_at in zip(commanded.position, measured.position, strict=True)
        ]
        return Setpoint(position, commanded.velocity, commanded.saturated)

    def _track_joints(self, measured: Measured, start: Setpoint, now: Point, ahead: Point) -> Setpoint:
        """The second line of (19): the reference's own change, and the decay of the measured error.

        The setpoints' error moves as its rates say, no matter what was measured: a position and a velocity that do not
        belong together would make a motion between setpoints that the measured velocity does not show.
        """
        on_error, on_rate = self._rate_change
        position, velocity = [], []
        for i in (0, 1):
            e = measured.position[i] - now.position[i]
            de = measured.velocity[i] - now.velocity[i]
            before = start.velocity[i] - now.velocity[i]
            after = before + on_error * e + on_rate * de
            error = start.position[i] - now.position[i] + 0.5 * self._dt * (before + after)
            position.append(ahead.position[i] + error)
            velocity.append(ahead.velocity[i] + after)
        return self._reach(start, position, velocity)

    def _track_contacts(
        self, measured: Measured, start: Setpoint, feet: FeetReading, now: Point, ahead: Point
    ) -> Setpoint:
        """The first line of (19): the contact accelerations that the tick needs on average, as joint accelerations.

        S1 and S0 are those of the middle of the tick, which a first guess leads to.
        """
        robot, dt = self._robot, self._dt
        reference = contact_reference(robot, _joints(now)).v
        goal = contact_reference(robot, _joints(ahead)).v
        wanted = (
            (goal[0] - reference[0] + self._contact_change * (feet.v[0] - reference[0])) / dt,
            (goal[1] - reference[1] + self._contact_change * (feet.v[1] - reference[1])) / dt,
        )
        q, dq = _pair(measured.position), _pair(measured.velocity)
        ddq: Pair = (0.0, 0.0)
        for h in (0.0, 0.5 * dt):
            middle = tuple(x + h * v + 0.5 * h * h * a for x, v, a in zip(q, dq, ddq, strict=True))
            rate = tuple(v + h * a for v, a in zip(dq, ddq, strict=True))
            ddq = slopes(robot, _pair(middle), _pair(rate)).contact_map(robot, feet.mode).joint_accelerations(wanted)
        if not math.isfinite(ddq[0] + ddq[1]):
            raise ArithmeticError("The joint accelerations that the contacts ask for are no numbers")
        self.report = LawReport(
            CONTACT_TRACKING,
            slip_reference=(0.0 - reference[0], 0.0 - reference[1]),
            slip_velocity=(0.0 - feet.v[0], 0.0 - feet.v[1]),
        )
        velocity = [v + a * dt for v, a in zip(start.velocity, ddq, strict=True)]
        position = [x + 0.5 * (v + w) * dt for x, v, w in zip(start.position, start.velocity, velocity, strict=True)]
        return self._reach(start, position, velocity)


def three_link_of(spec: RobotSpec) -> ThreeLink:
    """The equations' robot. Raises UserError for a robot that the law (19) does not fit."""
    all_by_position(spec)
    try:
        robot = ThreeLink.from_parameters(spec.parameters)
    except ValueError as error:
        raise UserError(f"the law 'hybrid' is for three-link crawlers, and {spec.name} is none: {error}") from None
    if len(spec.actuated) != 2 or len(spec.feet) != 2:
        raise UserError(
            f"the law 'hybrid' is for two joints and two feet; "
            f"{spec.name} has {len(spec.actuated)} and {len(spec.feet)}."
        )
    return robot


def _pair(values: Sequence[float]) -> Pair:
    return values[0], values[1]


def _joints(point: Point) -> JointReference:
    return JointReference(_pair(point.position), _pair(point.velocity), _pair(point.acceleration))


def _predict(spec: RobotSpec, gait: PeriodicMotion, parameters: HybridParameters) -> dict[str, Any]:
    return predict_feedback(spec, gait, parameters.law)


LAW = LawEntry(
    HybridParameters,
    Hybrid,
    check=three_link_of,
    prediction=LawPrediction("equations with the feedback in continuous time", _predict),
    marks={CONTACT_TRACKING: "contacts tracked"},
)
