"""The law (20) of the running leg: the crank is pushed along a ramp that begins anew when the foot lands or lifts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact, ContactMode
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.runs.running import Running, RunningParameters
from hybrid_controller.laws.law import LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry, LawPrediction
from hybrid_controller.reference.horizon import ReferencePoint

FLIGHT, STANCE = "flight", "stance"
PAUSE = 50_000_000  # ns without being asked after which a phase begins anew: its ramp would be far away
EASE = 2.0  # 1/s, at which the pace of a leg that was stopped rises to the whole
TURNING = 0.25  # of the reference's rate: a crank that turns as fast is not stopped
SLACK = 0.15  # rad that the reference may lead a crank that is brought up to pace, besides what (20) leaves by itself
LOST = 3.0  # rad, likewise of one at its pace: then something holds it, and the phase begins anew, gently
CUT = 1.0 - 1e-9  # of a limit: an effort from here on has reached it


class RunningLaw:
    """(20) once per tick, in the phase that the foot's contact of this very tick shows.

    The gait's reference says only that the robot shall run: the law makes its own from where the crank is. What nothing
    is known of counts as being in the air, so that the crank waits for a landing; the report says so.
    """

    reads_contacts = True
    reads_odometry = False
    estimated: Sequence[Contact] = ()

    def __init__(self, spec: RobotSpec, parameters: RunningParameters, dt: float) -> None:
        """Raises UserError for a robot that is no such leg."""
        leg_of(spec)
        self._motor, self._foot, self._dt = spec.actuated[0], spec.foot_names[0], dt
        self.restart()
        self.tune(parameters)

    def tune(self, parameters: RunningParameters) -> None:
        """Go on with other gains and ramps; the phase begins anew."""
        self._running = Running(parameters, self._motor.effort, self._motor.power)
        self._asked = -PAUSE
        self._lost = 0.0  # s that the law's time is behind, from when it was slower

    def restart(self) -> None:
        self._began: int | None = None  # ns, of the first state: times count from it, so that they keep their digits
        self._asked = -PAUSE  # ns, when the law decided last
        self._landed: bool | None = None  # None: not known
        self.report = LawReport(FLIGHT)

    def observe(self, measured: Measured) -> None:
        modes = [contact.mode for contact in measured.contacts if contact.foot == self._foot]
        known = bool(modes) and modes[0] is not ContactMode.UNKNOWN
        self._landed = modes[0] is not ContactMode.OPEN if known else None
        if self._landed is not None:
            change = self._running.touch_down if self._landed else self._running.in_air
            change(self._time(measured), measured.position[0])

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        running, time = self._running, self._time(measured)
        angle, rate = measured.position[0], measured.velocity[0]
        unknown = running.waits = self._landed is None
        if measured.time_ns - self._asked >= PAUSE or self._left_behind(time, angle):
            self._begin_gently(time, angle, rate)
        self._asked = measured.time_ns
        effort = running.torque(time, angle, rate)
        if running.pace < 1.0:
            self._lost += (1.0 - running.pace) * self._dt
            running.pace = min(1.0, running.pace + EASE * self._dt)
        note = f"nothing is known of the contact of {self._foot}: it is taken to be in the air" if unknown else ""
        self.report = LawReport(STANCE if running.stance else FLIGHT, note)
        goal = [running.reference(time), running.reference(time + self._dt)]
        return Setpoint([goal[1]], [(goal[1] - goal[0]) / self._dt], [self._cut(effort, rate)], [effort])

    def _begin_gently(self, time: float, angle: float, rate: float) -> None:
        """Begin the phase anew, at the pace that the crank has: one at rest is not thrown into its run."""
        running = self._running
        running.begin(time, angle, stance=bool(self._landed))
        running.pace = 1.0
        share = -rate / max(running.falls(time), 1e-9)
        running.pace = 1.0 if share >= TURNING else max(share, 0.0)

    def _left_behind(self, time: float, angle: float) -> bool:
        """Whether the crank does not follow, as one that is stopped; the law is asked then too."""
        running, p = self._running, self._running.parameters
        if p.stiffness == 0.0:
            return False
        slack = LOST if running.pace >= 1.0 else SLACK
        lag = p.damping / p.stiffness * (1.0 - p.rate_share) * running.falls(time)
        return abs(running.reference(time) - angle) > slack + lag

    def _time(self, measured: Measured) -> float:
        if self._began is None:
            self._began = measured.time_ns
        return 1e-9 * (measured.time_ns - self._began) - self._lost

    def _cut(self, effort: float, rate: float) -> bool:
        """Whether a limit has made the effort what it is."""
        flight = self._running.parameters.flight_torque
        most = self._motor.effort if self._running.stance else min(self._motor.effort, flight)
        return abs(effort) >= CUT * most or abs(effort * rate) >= CUT * self._motor.power


def leg_of(spec: RobotSpec) -> Leg:
    """The equations' leg. Raises UserError for a robot that the law does not fit."""
    motors, feet = spec.actuated, spec.feet
    if len(motors) != 1 or not (motors[0].is_effort_driven and motors[0].continuous) or len(feet) != 1:
        raise UserError(
            f"the law 'running' turns one crank by its effort and runs on one foot; {spec.name} is not built so."
        )
    try:
        return Leg.from_parameters(spec.parameters)
    except ValueError as error:
        raise UserError(f"the law 'running' is for six-bar legs, and {spec.name} is none: {error}") from None


def _predict(spec: RobotSpec, gait: PeriodicMotion, parameters: RunningParameters) -> dict[str, Any]:
    from crawler_models.bolt.prediction import predict_running

    return predict_running(spec, gait, parameters)


LAW = LawEntry(
    RunningParameters,
    RunningLaw,
    check=leg_of,
    prediction=LawPrediction("equations with the law, sampled as in the ring", _predict),
    marks={STANCE: "stance"},
)
