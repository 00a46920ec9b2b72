"""The law (20) of the running leg: the crank follows a ramp that restarts when the foot lands or lifts off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.simulation.running import CONTACT_SOURCES, Running, RunningParameters
from hybrid_controller.laws.bolt.ground_detector import SENSOR_KIND_OF_SOURCE, make_ground_detector
from hybrid_controller.laws.law import Law, LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry, LawPrediction
from hybrid_controller.reference.horizon import ReferencePoint

FLIGHT, STANCE, CRUISE, REST = "flight", "stance", "cruise", "rest"
REST_RATE = 0.01  # rad/s: a reference that is slower rests
REST_TIME_S = 0.03  # for which it does, until the law stops
EVEN_ACCELERATION = 0.01  # rad/s²: below it the reference has its rate
EVEN_TIME_S = 0.02  # for which it has, until the ramps follow it
MAX_RATE_CHANGE = 20.0  # rad/s², of the gait's rate by which the ramps are chosen
RESTART_PAUSE_NS = (
    50_000_000  # without a call of `compute`, after which the law starts again: its ramp would be far off
)
STUMBLE_REPORT_S = 1.0  # for which a stumble is reported
LIMIT_SHARE = 1.0 - 1e-9  # of a limit, from which on an effort has reached it


class RunningLaw(Law):
    """Applies (20) once per tick, in the phase that the foot's contact of this very tick shows.

    The law makes its own reference from the crank's angle. The gait's reference enables running, and its rate chooses
    the ramps. While it rests the law commands no effort: the crank is braked, and the leg sinks onto its foot. Without
    a known contact the law cruises: the reference falls at one rate. A crank that is held is started again, as one at
    rest is.
    """

    def __init__(self, spec: RobotSpec, parameters: RunningParameters, dt: float) -> None:
        """Raises UserError for a robot that is not such a leg, or lacks the sensor that shows its contact."""
        leg_of(spec)
        self._spec, self._motor, self._foot, self._dt = spec, spec.actuated[0], spec.foot_names[0], dt
        self._source = parameters.contact
        self.reads_contacts = self._source == "backend"
        kind = SENSOR_KIND_OF_SOURCE.get(self._source)
        self.reads_sensors: Sequence[str] = (kind,) if kind else ()
        make_ground_detector(spec, parameters)
        self.tune(parameters)
        self.restart()

    def tune(self, parameters: RunningParameters) -> None:
        """Change gains and ramps; the law starts again. The source of contact stays."""
        self._parameters = parameters
        self._running = Running(parameters, self._motor.effort, self._motor.power)
        self._contact = make_ground_detector(self._spec, parameters)
        self._computed_ns = -RESTART_PAUSE_NS
        self._stumbles, self._stumbled_s = 0, -STUMBLE_REPORT_S

    def restart(self) -> None:
        self._start_ns: int | None = None  # of the first state: the law's time counts from it, to keep its digits
        self._computed_ns = -RESTART_PAUSE_NS  # time of the last `compute`
        self._contact = make_ground_detector(self._spec, self._parameters)
        self._on_ground: bool | None = None  # None: not known
        self._gait_rate = math.inf  # rad/s, by which the ramps are chosen
        self._has_moved = False  # the gait's reference; its first start from rest has the ramps of the gait
        self._rest_s = self._even_s = 0.0  # for which the gait's reference has rested, and has had its rate
        self.report = LawReport(FLIGHT)

    def observe(self, measured: Measured) -> None:
        self._on_ground = self._contact.update(measured)
        if measured.time_ns - self._computed_ns < RESTART_PAUSE_NS:
            self._running.observe(self._law_time(measured), measured.position[0], self._on_ground)

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        running, time = self._running, self._law_time(measured)
        angle, rate = measured.position[0], measured.velocity[0]
        if self._rests(now):
            self.report = LawReport(REST)
            return Setpoint([angle], [0.0], [False], [math.nan])
        if measured.time_ns - self._computed_ns >= RESTART_PAUSE_NS:
            running.start(time, angle, rate, stance=bool(self._on_ground))
            running.observe(time, angle, self._on_ground)
            self._stumbles, self._stumbled_s = running.stumbles, time - STUMBLE_REPORT_S
        self._computed_ns = measured.time_ns
        self._choose_ramps(time, now)
        effort = running.torque(time, angle, rate)
        if running.stumbles != self._stumbles:
            self._stumbles, self._stumbled_s = running.stumbles, time
        self.report = LawReport(self._branch(), self._note(time))
        goal = [running.reference(time), running.reference(time + self._dt)]
        velocity = (goal[1] - goal[0]) / self._dt
        return Setpoint([goal[1]], [velocity], [self._is_limited(effort, rate)], [effort])

    def _rests(self, now: ReferencePoint) -> bool:
        """Return True once a reference that has moved rests; the leg then starts again with its slowest ramps."""
        is_still = abs(now.velocity[0]) < REST_RATE
        self._has_moved |= not is_still
        self._rest_s = self._rest_s + self._dt if is_still else 0.0
        if self._rest_s <= REST_TIME_S or not self._has_moved or not self._parameters.gait_rate:
            return False
        self._gait_rate = 0.0
        return True

    def _choose_ramps(self, time: float, now: ReferencePoint) -> None:
        """Choose the ramps by the rate that the gait's reference has come to."""
        is_even = abs(now.acceleration[0]) < EVEN_ACCELERATION and abs(now.velocity[0]) >= REST_RATE
        self._even_s = self._even_s + self._dt if is_even else 0.0
        parameters = self._parameters
        if self._even_s > EVEN_TIME_S:
            step, before = MAX_RATE_CHANGE * self._dt, min(self._gait_rate, parameters.gait_rate)
            self._gait_rate = min(max(abs(now.velocity[0]), before - step), before + step)
        ramps = parameters.at_gait_rate(self._gait_rate)
        if ramps.in_force != self._running.parameters:
            self._running.change_ramps(time, ramps)

    def _branch(self) -> str:
        """Return the phase, with the source of contact where that is not the backend."""
        if self._running.cruises:
            return CRUISE
        phase = STANCE if self._running.stance else FLIGHT
        return phase if self._source == "backend" else f"{phase} by {self._source}"

    def _note(self, time: float) -> str:
        if time - self._stumbled_s < STUMBLE_REPORT_S:
            return "the crank was held: it starts again"
        if self._running.cruises and self._source != "none":
            return f"nothing is known of the contact of {self._foot} by {self._source}: the crank turns at one rate"
        return ""

    def _law_time(self, measured: Measured) -> float:
        if self._start_ns is None:
            self._start_ns = measured.time_ns
        return 1e-9 * (measured.time_ns - self._start_ns)

    def _is_limited(self, effort: float, rate: float) -> bool:
        """Return True if a limit of effort or power determines the effort."""
        max_effort = self._running.max_effort
        return abs(effort) >= LIMIT_SHARE * max_effort or abs(effort * rate) >= LIMIT_SHARE * self._motor.power


def leg_of(spec: RobotSpec) -> Leg:
    """Return the equations' leg. Raises UserError for a robot that the law does not fit."""
    motors, feet = spec.actuated, spec.feet
    if len(motors) != 1 or not (motors[0].is_effort_driven and motors[0].continuous) or len(feet) != 1:
        raise UserError(
            f"the law 'running' is for one effort-driven crank and one foot, not for {spec.name}: use another law."
        )
    try:
        return Leg.from_parameters(spec.parameters)
    except ValueError as error:
        raise UserError(f"the law 'running' is for six-bar legs, and {spec.name} is none: {error}") from None


def _predict(spec: RobotSpec, gait: PeriodicMotion, parameters: RunningParameters) -> dict[str, Any]:
    from crawler_models.bolt.prediction import predict_running

    return predict_running(spec, gait, parameters)


LAW_ENTRY = LawEntry(
    RunningParameters,
    RunningLaw,
    check=leg_of,
    prediction=LawPrediction("equations with the law, sampled as in the control loop", _predict),
    marks={STANCE: "stance", **{f"{STANCE} by {source}": "stance" for source in CONTACT_SOURCES}},
)
