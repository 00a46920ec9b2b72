"""The law (20) of the running leg: the crank follows a ramp that restarts when the foot lands or lifts off."""

from __future__ import annotations

from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.simulation.running import Running, RunningParameters
from hybrid_controller.laws.law import Law, LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry, LawPrediction
from hybrid_controller.reference.horizon import ReferencePoint

FLIGHT, STANCE = "flight", "stance"
RESTART_PAUSE_NS = 50_000_000  # without a call of `compute`, after which a phase restarts: its ramp would be far away
PACE_RISE_PER_S = 2.0  # at which the pace of a leg that was stopped rises to 1
MOVING_SHARE = 0.25  # of the reference's rate: a crank this fast counts as moving
MAX_LEAD_STARTING = 0.15  # rad of the reference over a crank that gains pace, beyond the lag that (20) itself has
MAX_LEAD_AT_PACE = 3.0  # rad, the same at full pace: beyond it something holds the crank, and the phase restarts
LIMIT_SHARE = 1.0 - 1e-9  # of a limit, from which on an effort has reached it


class RunningLaw(Law):
    """Applies (20) once per tick, in the phase that the foot's contact of this very tick shows.

    The gait's reference only enables running; the law makes its own reference from the crank's angle. A foot whose
    contact is not known counts as in the air, so that the crank waits for a landing, and the report says so.
    """

    reads_contacts = True

    def __init__(self, spec: RobotSpec, parameters: RunningParameters, dt: float) -> None:
        """Raises UserError for a robot that is not such a leg."""
        leg_of(spec)
        self._motor, self._foot, self._dt = spec.actuated[0], spec.foot_names[0], dt
        self.restart()
        self.tune(parameters)

    def tune(self, parameters: RunningParameters) -> None:
        """Change gains and ramps; the phase starts again."""
        self._running = Running(parameters, self._motor.effort, self._motor.power)
        self._computed_ns = -RESTART_PAUSE_NS
        self._time_lag = 0.0  # s that the law's time is behind, from times at a lower pace

    def restart(self) -> None:
        self._start_ns: int | None = None  # of the first state: the law's time counts from it, to keep its digits
        self._computed_ns = -RESTART_PAUSE_NS  # time of the last `compute`
        self._on_ground: bool | None = None  # None: not known
        self.report = LawReport(FLIGHT)

    def observe(self, measured: Measured) -> None:
        modes = [contact.mode for contact in measured.contacts if contact.foot == self._foot]
        if not modes or modes[0] is ContactMode.UNKNOWN:
            self._on_ground = None
            return
        self._on_ground = modes[0] is not ContactMode.OPEN
        change_phase = self._running.touch_down if self._on_ground else self._running.in_air
        change_phase(self._law_time(measured), measured.position[0])

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        running, time = self._running, self._law_time(measured)
        angle, rate = measured.position[0], measured.velocity[0]
        running.waits = self._on_ground is None
        if measured.time_ns - self._computed_ns >= RESTART_PAUSE_NS or self._is_stalled(time, angle):
            self._restart_phase(time, angle, rate)
        self._computed_ns = measured.time_ns
        effort = running.torque(time, angle, rate)
        if running.pace < 1.0:
            self._time_lag += (1.0 - running.pace) * self._dt
            running.pace = min(1.0, running.pace + PACE_RISE_PER_S * self._dt)
        note = f"nothing is known of the contact of {self._foot}: it is taken to be in the air" if running.waits else ""
        self.report = LawReport(STANCE if running.stance else FLIGHT, note)
        goal = [running.reference(time), running.reference(time + self._dt)]
        velocity = (goal[1] - goal[0]) / self._dt
        return Setpoint([goal[1]], [velocity], [self._is_limited(effort, rate)], [effort])

    def _restart_phase(self, time: float, angle: float, rate: float) -> None:
        """Restart the phase at the crank's own pace, so that a crank at rest is not thrown into its run."""
        running = self._running
        running.begin(time, angle, stance=bool(self._on_ground))
        running.pace = 1.0
        share = -rate / max(running.falls(time), 1e-9)
        running.pace = 1.0 if share >= MOVING_SHARE else max(share, 0.0)

    def _is_stalled(self, time: float, angle: float) -> bool:
        """Return True if the crank does not follow the reference, as one that is held."""
        running, p = self._running, self._running.parameters
        if p.stiffness == 0.0:
            return False
        max_lead = MAX_LEAD_AT_PACE if running.pace >= 1.0 else MAX_LEAD_STARTING
        steady_lag = p.damping / p.stiffness * (1.0 - p.rate_share) * running.falls(time)
        return abs(running.reference(time) - angle) > max_lead + steady_lag

    def _law_time(self, measured: Measured) -> float:
        if self._start_ns is None:
            self._start_ns = measured.time_ns
        return 1e-9 * (measured.time_ns - self._start_ns) - self._time_lag

    def _is_limited(self, effort: float, rate: float) -> bool:
        """Return True if a limit of effort or power determines the effort."""
        flight = self._running.parameters.flight_torque
        max_effort = self._motor.effort if self._running.stance else min(self._motor.effort, flight)
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
    marks={STANCE: "stance"},
)
