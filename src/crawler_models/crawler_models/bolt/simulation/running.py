"""The state machine of Fig. 6 and the control law (20): what torque the crank gets in flight and in stance.

The law is sampled: its torque is held until the next tick. `crawler_models.bolt.compiled.law` is the same, compiled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from crawler_core.errors import UserError
from crawler_core.parameters import parameter

TURN_RAD = 2.0 * math.pi
CONTACT_SOURCES = ("backend", "switch", "accelerometer", "angle", "none")
MOVING_SHARE = 0.25  # of the reference's rate: a crank this fast counts as moving
RATE_TOLERANCE = 1e-6  # rad/s, of a rate from an interpolated reference
STALL_TIME_S = 0.15  # with a crank that does not move although the reference leads it by `max_lead`


@dataclass(frozen=True)
class RunningParameters:
    """The gains and the ramps. The crank turns backward, so rates are of its angle's decrease.

    The defaults of (20) are those with which the paper's run comes out. It states none of them.
    """

    stiffness: float = parameter(300.0, unit="N·m/rad", lower=0.0, upper=1e4, doc="K_P of (20)")
    damping: float = parameter(12.0, unit="N·m·s/rad", lower=0.0, upper=1e3, doc="K_D of (20)")
    rate_share: float = parameter(
        0.0,
        lower=0.0,
        upper=1.0,
        doc="share of the reference's rate in the damper; (20) has 0 and damps the crank's own",
    )
    flight_rate: float = parameter(40.8, unit="rad/s", lower=0.1, upper=200.0, doc="of the reference's ramp in flight")
    touch_down: float = parameter(
        0.0, unit="degrees", lower=-360.0, upper=360.0, doc="alpha, the crank's angle at which the ramp of flight ends"
    )
    retraction_rate: float = parameter(
        0.0,
        unit="rad/s",
        lower=0.0,
        upper=200.0,
        doc="of the reference from there until the foot lands; the paper waits",
    )
    stance_rate: float = parameter(36.4, unit="rad/s", lower=0.0, upper=200.0, doc="of the reference's ramp in stance")
    lift_off: float = parameter(-68.0, unit="degrees", lower=-360.0, upper=360.0, doc="crank angle that ends stance")
    flight_torque: float = parameter(30.0, unit="N·m", lower=0.0, upper=1e3, doc="the most in flight")
    stance_torque: float = parameter(1e3, unit="N·m", lower=0.0, upper=1e3, doc="the most in stance")
    start_time: float = parameter(
        0.5, unit="s", lower=0.0, upper=10.0, doc="in which the reference of a crank at rest gains its rate"
    )
    max_lead: float = parameter(
        180.0, unit="degrees", lower=1.0, upper=360.0, doc="between reference and crank: the reference waits beyond"
    )
    contact: str = parameter(
        "backend",
        choices=CONTACT_SOURCES,
        constant=True,
        doc="source of the foot's contact: contact_states of the backend, a sensor, the crank's angle, or none",
    )
    contact_begin: float = parameter(
        -70.0, unit="degrees", lower=-360.0, upper=360.0, doc="crank angle of touch-down, where contact is angle"
    )
    contact_end: float = parameter(
        -255.0, unit="degrees", lower=-360.0, upper=360.0, doc="crank angle of lift-off, where contact is angle"
    )
    landing_force: float = parameter(
        14.0, unit="m/s^2", lower=0.0, upper=1e3, doc="specific force up, above which an accelerometer shows contact"
    )
    flight_force: float = parameter(
        5.0, unit="m/s^2", lower=-1e3, upper=1e3, doc="specific force up, below which it shows none"
    )
    dead_time: float = parameter(
        0.03, unit="s", lower=0.0, upper=1.0, doc="after a change of contact, in which an accelerometer shows no other"
    )
    cruise_rate: float = parameter(
        19.3, unit="rad/s", lower=0.1, upper=200.0, doc="of the reference where nothing measures the contact"
    )
    cruise_stance_rate: float = parameter(
        20.5, unit="rad/s", lower=0.1, upper=200.0, doc="the same in stance, where contact is angle"
    )
    cruise_stiffness: float = parameter(31.2, unit="N·m/rad", lower=0.0, upper=1e4, doc="K_P of both")
    cruise_damping: float = parameter(0.36, unit="N·m·s/rad", lower=0.0, upper=1e3, doc="K_D of both")

    gait_rate: float = parameter(
        0.0,
        unit="rad/s",
        lower=0.0,
        upper=200.0,
        doc="of the gait's crank, from which on the ramps above are in force; 0: at any rate",
    )
    slow_gait_rate: float = parameter(
        0.0, unit="rad/s", lower=0.0, upper=200.0, doc="of the gait's crank, at which the slow ramps are in force"
    )
    slow_flight_rate: float = parameter(34.0, unit="rad/s", lower=0.1, upper=200.0, doc="flight_rate of the slow ramps")
    slow_retraction_rate: float = parameter(
        10.0, unit="rad/s", lower=0.0, upper=200.0, doc="retraction_rate of the slow ramps"
    )
    slow_stance_rate: float = parameter(16.0, unit="rad/s", lower=0.0, upper=200.0, doc="stance_rate of the slow ramps")

    def at_gait_rate(self, rate: float) -> RunningParameters:
        """Return the parameters with the ramps for a gait whose crank turns at `rate` (rad/s, either way)."""
        if not self.gait_rate or rate >= self.gait_rate - RATE_TOLERANCE:
            return self
        share = max((rate - self.slow_gait_rate) / (self.gait_rate - self.slow_gait_rate), 0.0)

        def between(slow: float, fast: float) -> float:
            return slow + share * (fast - slow)

        return replace(
            self,
            flight_rate=between(self.slow_flight_rate, self.flight_rate),
            retraction_rate=between(self.slow_retraction_rate, self.retraction_rate),
            stance_rate=between(self.slow_stance_rate, self.stance_rate),
        )

    def __post_init__(self) -> None:
        if self.gait_rate and self.slow_gait_rate >= self.gait_rate:
            raise UserError(
                f"controller.slow_gait_rate = {self.slow_gait_rate:g} rad/s is not allowed: it must be below "
                f"controller.gait_rate = {self.gait_rate:g}."
            )

    @property
    def in_force(self) -> RunningParameters:
        """The parameters with the gains and rates of the source of contact: those of the cruise, by the angle."""
        if self.contact != "angle":
            return self
        return replace(
            self,
            stiffness=self.cruise_stiffness,
            damping=self.cruise_damping,
            rate_share=1.0,
            flight_rate=self.cruise_rate,
            retraction_rate=self.cruise_rate,
            stance_rate=self.cruise_stance_rate,
        )


class Running:
    """Which phase it is, and the reference, which falls from the crank's angle at the beginning of the phase.

    Every tick: `observe`, or `touch_down` while the foot is on the ground and `in_air` while it is not; then `torque`.
    """

    stance: bool  # or flight
    cruises = False  # nothing is known of the foot: the reference falls at one rate
    pace = 1.0  # share of the parameters' rates at which the reference falls: below 1 after a start
    stumbles = 0  # starts since the first, each after a stall

    def __init__(self, parameters: RunningParameters, torque: float, power: float) -> None:
        """`torque` (N·m) and `power` (W) are the motor's most."""
        self.parameters, self._power = parameters.in_force, power
        self._most_in_stance = min(torque, parameters.stance_torque)
        self._most_in_flight = min(torque, parameters.flight_torque)
        self._alpha = math.radians(parameters.touch_down)
        self._lift_off = math.radians(parameters.lift_off)
        self._lead = math.radians(parameters.max_lead)
        self._contact_end = math.radians(parameters.contact_end)
        self._contact_width = (math.radians(parameters.contact_begin) - self._contact_end) % TURN_RAD
        self.begin(0.0, 0.0, stance=False)

    def change_ramps(self, time: float, parameters: RunningParameters) -> None:
        """Let the reference fall by other ramps from `time` on. Gains, limits and angles stay."""
        self._fall(time)
        self.parameters = parameters.in_force

    def start(self, time: float, angle: float, rate: float, *, stance: bool) -> None:
        """Begin with the crank at `angle` (rad) and `rate` (rad/s). One at rest gains its pace in `start_time`."""
        self.begin(time, angle, stance=stance)
        share = -rate / max(self._rate(), 1e-9)
        self.pace = 1.0 if share >= MOVING_SHARE or self.parameters.start_time == 0.0 else max(share, 0.0)

    def begin(self, time: float, angle: float, *, stance: bool) -> None:
        """Begin a phase with the crank at `angle` (rad): touch-down, lift-off, or the start."""
        self.stance = stance
        self._landable = not stance  # a foot that has not yet left the ground does not land
        self._time, self._reference = time, angle
        self._stalled_since = math.inf
        self._until = ahead(angle, self._lift_off if stance else self._alpha)

    def observe(self, time: float, angle: float, on_ground: bool | None) -> None:
        """Take the foot's contact, None where it is not known. The crank's angle replaces it where it is the source."""
        source = self.parameters.contact
        if source == "angle":
            on_ground = (angle - self._contact_end) % TURN_RAD < self._contact_width
        if source == "none" or on_ground is None:
            self._fall(time)
            self.cruises, self.stance, self._landable = True, False, True
            return
        if self.cruises:
            self._fall(time)
            self.begin(time, angle, stance=on_ground)
            self.cruises = False
        (self.touch_down if on_ground else self.in_air)(time, angle)

    def touch_down(self, time: float, angle: float) -> None:
        """The foot is on the ground: if it was in the air before, stance begins."""
        if not self.stance and self._landable:
            self._fall(time)
            self.begin(time, angle, stance=True)

    def in_air(self, time: float, angle: float) -> None:
        """The foot is in the air: stance, if it is still on, ends."""
        if self.stance:
            self._fall(time)
            self.begin(time, angle, stance=False)
        self._landable = True

    def reference(self, time: float) -> float:
        """theta_1d of (20), rad, at `time` or soon after it."""
        return self._fallen(self.pace * (time - self._time))

    def falls(self) -> float:
        """The rate (rad/s) at which the reference falls."""
        return self.pace * self._rate()

    @property
    def max_effort(self) -> float:
        """The limit of the torque (N·m) in this phase, without that of the power."""
        return self._most_in_stance if self.stance or self.cruises else self._most_in_flight

    def torque(self, time: float, angle: float, rate: float) -> float:
        """The torque (N·m) to hold over the coming tick; ends stance once the crank has passed the lift-off angle."""
        self._fall(time)
        waits = not abs(self._reference - angle) < self._lead
        if waits:
            self._reference = angle + math.copysign(self._lead, self._reference - angle)
        if self.stance and angle <= self._until:
            self.begin(time, angle, stance=False)
            self._landable = False
        falls = self.falls()
        self._stalled_since = min(self._stalled_since, time) if waits and -rate < MOVING_SHARE * falls else math.inf
        if time - self._stalled_since > STALL_TIME_S:
            self.start(time, angle, rate, stance=self.stance)
            self.stumbles += 1
            falls = self.falls()
        p = self.parameters
        if self.cruises:
            wanted = p.cruise_stiffness * (self._reference - angle) - p.cruise_damping * (rate + falls)
        else:
            wanted = p.stiffness * (self._reference - angle) - p.damping * (rate + p.rate_share * falls)  # (20)
        most = self.max_effort
        if abs(rate) * most > self._power:
            most = self._power / abs(rate)
        return min(max(wanted, -most), most)

    def _fall(self, time: float) -> None:
        """Let the reference fall until `time`."""
        passed = time - self._time
        self._reference = self._fallen(self.pace * passed)
        if self.pace < 1.0:
            self.pace = min(1.0, self.pace + passed / self.parameters.start_time)
        self._time = time

    def _fallen(self, seconds: float) -> float:
        """The reference after `seconds` at full pace."""
        p = self.parameters
        if self.cruises:
            return self._reference - p.cruise_rate * seconds
        if self.stance:
            return self._reference - p.stance_rate * seconds
        ramp = max(0.0, self._reference - self._until) / p.flight_rate  # s
        if seconds <= ramp:
            return self._reference - p.flight_rate * seconds
        return min(self._reference, self._until) - p.retraction_rate * (seconds - ramp)

    def _rate(self) -> float:
        """The rate (rad/s) of the phase at full pace."""
        p = self.parameters
        if self.cruises:
            return p.cruise_rate
        if self.stance:
            return p.stance_rate
        return p.flight_rate if self._reference > self._until else p.retraction_rate


def ahead(angle: float, mark: float) -> float:
    """The first of the angles mark + 2 pi k (rad) that a crank which turns backward reaches from `angle`."""
    return mark + TURN_RAD * (math.ceil((angle - mark) / TURN_RAD) - 1)
