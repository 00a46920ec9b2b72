"""The law (20) of the running leg: the crank is pushed along a ramp that begins anew when the foot lands or lifts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.robot import RobotSpec
from crawler_core.types import Contact, ContactMode
from crawler_models.bolt.robot import Leg
from crawler_models.bolt.running import Running, RunningParameters
from hybrid_controller.laws.entry import Entry, Prediction
from hybrid_controller.laws.law import LawReport, Measured, Setpoint
from hybrid_controller.reference import Point

FLIGHT, STANCE = "flight", "stance"
PAUSE = 50_000_000  # ns without being asked after which a phase begins anew: its ramp would be far away
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

    def compute(self, measured: Measured, commanded: Setpoint, now: Point, ahead: Point) -> Setpoint:
        running, time = self._running, self._time(measured)
        angle, rate = measured.position[0], measured.velocity[0]
        if measured.time_ns - self._asked >= PAUSE:
            running.begin(time, angle, stance=bool(self._landed))
        self._asked = measured.time_ns
        effort = running.torque(time, angle, rate)
        unknown = self._landed is None
        note = f"nothing is known of the contact of {self._foot}: it is taken to be in the air" if unknown else ""
        self.report = LawReport(STANCE if running.stance else FLIGHT, note)
        goal = [running.reference(time), running.reference(time + self._dt)]
        return Setpoint([goal[1]], [(goal[1] - goal[0]) / self._dt], [self._cut(effort, rate)], [effort])

    def _time(self, measured: Measured) -> float:
        if self._began is None:
            self._began = measured.time_ns
        return 1e-9 * (measured.time_ns - self._began)

    def _cut(self, effort: float, rate: float) -> bool:
        """Whether a limit has made the effort what it is."""
        flight = self._running.parameters.flight_torque
        most = self._motor.effort if self._running.stance else min(self._motor.effort, flight)
        return abs(effort) >= CUT * most or abs(effort * rate) >= CUT * self._motor.power


def leg_of(spec: RobotSpec) -> Leg:
    """The equations' leg. Raises UserError for a robot that the law does not fit."""
    motors, feet = spec.actuated, spec.feet
    if len(motors) != 1 or not (motors[0].by_effort and motors[0].continuous) or len(feet) != 1:
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


LAW = Entry(
    RunningParameters,
    RunningLaw,
    check=leg_of,
    prediction=Prediction("equations with the law, sampled as in the ring", _predict),
    marks={STANCE: "stance"},
)
