"""The state of one axis, from the newest of each of its messages, and the joint's reading."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hw_drivers.bus.bus import POWER_OFF_REMEDY, Reading
from hw_drivers.odrive.error_flags import AXIS_ERRORS, WATCHDOG_TIMER_EXPIRED
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

MAX_CURRENT_AGE_S = 0.1  # an older current does not give the torque of now


@dataclass(frozen=True)
class Expectation:
    """The state that the driver last commanded to all axes."""

    torque: bool
    since: float  # s


class Axis:
    """One axis. `update` takes its messages, `reading` returns the joint's state."""

    def __init__(self, plan: AxisPlan) -> None:
        self.plan = plan
        self.heartbeat = Heartbeat(0, AxisState.UNDEFINED, 0, 0)
        self.heartbeat_time = -math.inf  # s
        self._turns = math.nan
        self._rate = math.nan  # turns/s
        self._estimate_time = -math.inf  # s
        self._current = math.nan  # A
        self._current_time = -math.inf  # s
        self._temperature = math.nan  # °C
        self._voltage = math.nan  # V
        self.estimates = 0  # that have come

    @property
    def measured(self) -> tuple[float, float]:
        """The joint's angle (rad) and rate (rad/s)."""
        return self.plan.angle(self._turns), self.plan.rate(self._rate)

    @property
    def has_angle(self) -> bool:
        return math.isfinite(self._turns)

    @property
    def has_heartbeat(self) -> bool:
        return math.isfinite(self.heartbeat_time)

    @property
    def has_torque(self) -> bool:
        """True where its last heartbeat reported an active state; calibrations and the like move the motor, too."""
        return self.heartbeat.axis_state not in (AxisState.IDLE, AxisState.UNDEFINED)

    def update(self, message: Message, now: float) -> None:
        """Take a message of the axis that came at `now` (s)."""
        if isinstance(message, Heartbeat):
            self.heartbeat, self.heartbeat_time = message, now
        elif isinstance(message, GetEncoderEstimates):
            self.estimates += 1
            if not (math.isfinite(message.position) and math.isfinite(message.velocity)):
                return  # the heartbeat has the reason; the angle grows old meanwhile
            previous = self._turns if self.has_angle else message.position
            self._turns = unwrap(message.position, previous, self.plan.settings.wrap)
            self._rate = message.velocity
            self._estimate_time = now
        elif isinstance(message, GetIq):
            self._current, self._current_time = message.measured, now
        elif isinstance(message, GetTemperature):
            # drives without a motor thermistor send 0 or NaN
            self._temperature = max(message.inverter, message.motor if math.isfinite(message.motor) else 0.0)
        elif isinstance(message, GetBusVoltageCurrent):
            self._voltage = message.voltage

    def reading(self, now: float, expected: Expectation, heartbeat_timeout: float) -> Reading:
        """Return the joint's reading; no heartbeat for `heartbeat_timeout` (s) is one of its errors."""
        errors, remedy = self._errors(now, expected, heartbeat_timeout)
        angle, rate = self.measured
        is_current_new = now - self._current_time < MAX_CURRENT_AGE_S
        return Reading(
            self.plan.joint.joint,
            self._estimate_time,
            angle,
            rate,
            effort=self.plan.effort(self._current) if is_current_new else math.nan,
            temperature=self._temperature,
            voltage=self._voltage,
            errors=errors,
            remedy=remedy,
        )

    def explain_errors(self, torque: bool) -> tuple[tuple[str, ...], str]:
        """Return the axis's errors and their remedies. Without `torque`, an expired watchdog is no error."""
        flags = self.heartbeat.axis_error
        return AXIS_ERRORS.explain(flags if torque else flags & ~WATCHDOG_TIMER_EXPIRED)

    def _errors(self, now: float, expected: Expectation, heartbeat_timeout: float) -> tuple[tuple[str, ...], str]:
        joint, node = self.plan.joint.joint, self.plan.joint.id
        silence = now - self.heartbeat_time
        if silence > heartbeat_timeout:
            return (
                (f"no heartbeat from its ODrive, CAN node {node}, for {silence:.2f} s",),
                f"check the power of {joint}'s drive and the CAN cable to it, then call reset and enable",
            )
        meanings, remedy = self.explain_errors(expected.torque)
        if meanings:
            return meanings, f"{remedy}; then call reset and enable"
        if self.heartbeat_time <= expected.since:
            return (), ""  # its heartbeat is older than the command
        if expected.torque and self.heartbeat.axis_state != AxisState.CLOSED_LOOP_CONTROL:
            return (
                ("its torque went off by itself",),
                f"check the supply of {joint}'s drive, then call reset and enable",
            )
        if not expected.torque and self.has_torque and now - expected.since > heartbeat_timeout:
            return ("its torque stays on although it was switched off",), POWER_OFF_REMEDY
        return (), ""
