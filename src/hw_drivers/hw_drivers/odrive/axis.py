"""What is known of one axis: the newest of each message, when it came, and what that means for the joint."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hw_drivers.bus.bus import Reading
from hw_drivers.odrive.error_flags import WATCHDOG_TIMER_EXPIRED, explain
from hw_drivers.odrive.messages import (
    AxisState,
    GetBusVoltageCurrent,
    GetEncoderEstimates,
    GetIq,
    GetTemperature,
    Heartbeat,
    Message,
)
from hw_drivers.odrive.plan import AxisPlan, unwrap

NEVER = -math.inf
MAX_CURRENT_AGE_S = 0.1  # s: an older current is no longer the torque of now


@dataclass(frozen=True)
class Expectation:
    """What the driver last asked of all axes."""

    torque: bool
    since: float  # s


class Axis:
    """One axis as it was last heard. `hear` takes its messages, `reading` tells the joint's state."""

    def __init__(self, plan: AxisPlan) -> None:
        self.plan = plan
        self.heartbeat = Heartbeat(0, AxisState.UNDEFINED, 0, 0)
        self.heartbeat_time = NEVER
        self._turns = math.nan
        self._rate = math.nan
        self._estimate_time = NEVER
        self._current = math.nan
        self._current_time = NEVER
        self._temperature = math.nan
        self._voltage = math.nan

    @property
    def measured(self) -> tuple[float, float]:
        """The joint's angle (rad) and rate (rad/s)."""
        return self.plan.angle(self._turns), self.plan.rate(self._rate)

    @property
    def located(self) -> bool:
        """Whether an angle has come at all."""
        return math.isfinite(self._turns)

    @property
    def beaten(self) -> bool:
        """Whether a heartbeat has come at all."""
        return math.isfinite(self.heartbeat_time)

    @property
    def has_torque(self) -> bool:
        """Whether its last heartbeat said so; calibrations and the like move the motor, too."""
        return self.heartbeat.axis_state not in (AxisState.IDLE, AxisState.UNDEFINED)

    def hear(self, message: Message, now: float) -> None:
        """Take a message that came from the axis."""
        if isinstance(message, Heartbeat):
            self.heartbeat, self.heartbeat_time = message, now
        elif isinstance(message, GetEncoderEstimates):
            if not (math.isfinite(message.position) and math.isfinite(message.velocity)):
                return  # the drive says why in its heartbeat; the angle grows old meanwhile
            previous = self._turns if self.located else message.position
            self._turns = unwrap(message.position, previous, self.plan.own.wrap)
            self._rate = message.velocity
            self._estimate_time = now
        elif isinstance(message, GetIq):
            self._current, self._current_time = message.measured, now
        elif isinstance(message, GetTemperature):
            # drives without a motor thermistor send 0 or NaN
            self._temperature = max(message.inverter, message.motor if math.isfinite(message.motor) else 0.0)
        elif isinstance(message, GetBusVoltageCurrent):
            self._voltage = message.voltage

    def reading(self, now: float, expected: Expectation, silence: float) -> Reading:
        """The joint's state; no heartbeat for `silence` (s) is an error of its own."""
        errors, remedy = self._errors(now, expected, silence)
        angle, rate = self.measured
        return Reading(
            self.plan.joint.joint,
            self._estimate_time,
            angle,
            rate,
            effort=self.plan.effort(self._current) if now - self._current_time < MAX_CURRENT_AGE_S else math.nan,
            temperature=self._temperature,
            voltage=self._voltage,
            errors=errors,
            remedy=remedy,
        )

    def troubles(self, torque: bool) -> tuple[str, str]:
        """What the axis reports and what to do; a watchdog that bit while the torque was to be off has done no harm."""
        flags = self.heartbeat.axis_error
        return explain(flags if torque else flags & ~WATCHDOG_TIMER_EXPIRED)

    def _errors(self, now: float, expected: Expectation, silence: float) -> tuple[tuple[str, ...], str]:
        joint, node = self.plan.joint.joint, self.plan.joint.id
        quiet = now - self.heartbeat_time
        if quiet > silence:
            return (
                (f"no heartbeat from its ODrive, CAN node {node}, for {quiet:.2f} s",),
                f"check the power of {joint}'s drive and the CAN cable to it, then call reset and enable",
            )
        meanings, remedy = self.troubles(expected.torque)
        if meanings:
            return tuple(meanings.split("; ")), f"{remedy}; then call reset and enable"
        if self.heartbeat_time <= expected.since:
            return (), ""  # it has not had the chance to say what it did
        if expected.torque and self.heartbeat.axis_state != AxisState.CLOSED_LOOP_CONTROL:
            return (
                ("its torque went off by itself",),
                f"check the supply of {joint}'s drive, then call reset and enable",
            )
        if not expected.torque and self.has_torque and now - expected.since > silence:
            return ("its torque stays on although it was switched off",), "switch the power of the motors off"
        return (), ""
