"""One emulated ODrive: its messages, its controllers, and a motor with inertia."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hw_drivers.bus.joint_map import TURN_RAD
from hw_drivers.emulation.effort_drive import EffortDrive
from hw_drivers.emulation.emulated_encoder import EmulatedEncoder
from hw_drivers.odrive import error_flags as flags
from hw_drivers.odrive import messages as m

INTEGRATION_STEP_S = 0.5e-3
VELOCITY_BANDWIDTH_RAD_S = 100.0  # of the velocity loop
POSITION_GAIN_PER_S = 20.0  # the drive's own default
INTEGRATOR_GAIN_PER_S = 20.0
FRICTION_TIME_S = 0.05  # in which a motor without torque comes to rest
REBOOT_TIME_S = 0.3
TRIP_C = 80.0  # where it takes its torque off
AMBIENT_C = 30.0
SUPPLY_V = 24.0
INVALID_STATE = 13  # procedure_result


@dataclass(frozen=True)
class AxisHardware:
    """The properties and settings of a drive and its motor."""

    node_id: int
    serial_number: bytes = b"\x01\x00\x00\x00\x00\x00"
    firmware: tuple[int, int, int] = (0, 6, 10)
    torque_constant: float = 0.05  # N·m/A
    max_torque: float = 0.5  # N·m
    inertia: float = 1e-4  # kg·m², of the motor and its load
    wrap: float = 0.0  # turns
    velocity_scale: float = 1000.0
    torque_scale: float = 1000.0
    watchdog: float = 0.5  # s; 0: off
    heartbeat_period: float = 0.1  # s
    estimate_period: float = 0.01  # s; the currents come as often


class EmulatedAxis:
    """A drive with its motor. `now` is in s of any clock that goes forward."""

    def __init__(
        self,
        hardware: AxisHardware,
        turns: float,
        now: float,
        *,
        drive: EffortDrive | None = None,
        encoder: EmulatedEncoder | None = None,
        ratio: float = 1.0,
    ) -> None:
        """`ratio`: turns of the motor for one of the joint, negative where it turns against it.

        Without `drive` and `encoder` it follows its commands and measures exactly.
        """
        self.hardware = hardware
        self._drive, self._encoder, self._ratio = drive, encoder, ratio
        self.turns = turns  # without wrapping
        self.rate = 0.0  # turns/s
        self.state = int(m.AxisState.IDLE)
        self.active_errors = 0
        self.disarm_reason = 0
        self.temperature = AMBIENT_C
        self.is_dead = False
        # maps the motor's torque (N·m) and its duration (s) to the turns and turns/s then; None: a rotor alone
        self.load: Callable[[float, float], tuple[float, float]] | None = None
        self._result = 0
        self._reset_settings()
        self._goal = self._wrapped(turns)
        self._goal_rate = self._goal_torque = self._integral = self._torque = 0.0
        self._now = self._last_feed = now
        self._record()
        self._reboot_end = -math.inf  # s
        self._due: dict[type[m.Message], float] = {m.Heartbeat: now, m.GetEncoderEstimates: now, m.GetIq: now}

    @property
    def is_armed(self) -> bool:
        return self.state == m.AxisState.CLOSED_LOOP_CONTROL and not self.is_dead

    @property
    def is_silent(self) -> bool:
        """True while it is dead or starts."""
        return self.is_dead or self._now < self._reboot_end

    def handle(self, message: m.Message, now: float) -> None:
        self.advance(now)
        if self.is_silent:
            return
        # the published firmware feeds on every frame; this one is stricter, so that a driver must send setpoints
        if isinstance(message, (m.SetInputPos, m.SetInputVel, m.SetInputTorque, m.SetAxisState, m.ClearErrors)):
            self._last_feed = now
        if isinstance(message, m.SetAxisState):
            self._request(message.state)
        elif isinstance(message, m.SetInputPos):
            self._goal = message.position
            self._goal_rate = message.velocity_ff / self.hardware.velocity_scale
            self._goal_torque = message.torque_ff / self.hardware.torque_scale
        elif isinstance(message, m.SetInputVel):
            self._goal_rate, self._goal_torque = message.velocity, message.torque_ff
        elif isinstance(message, m.SetInputTorque):
            self._goal_torque = message.torque
        elif isinstance(message, m.SetControllerMode):
            self.mode = message.control_mode
        elif isinstance(message, m.SetLimits):
            self.limits = message
        elif isinstance(message, m.ClearErrors):
            self.active_errors = self.disarm_reason = 0
        elif isinstance(message, m.Estop):
            self.trip(flags.ESTOP_REQUESTED)
        elif isinstance(message, m.Reboot):
            self._disarm()
            self.active_errors = self.disarm_reason = 0
            self._reboot_end = now + REBOOT_TIME_S
            self._reset_settings()

    def answer(self, command: int) -> m.Message | None:
        """Return its message of this kind, or None where it sends none."""
        hardware = self.hardware
        if self.is_silent:
            return None
        if command == m.GetVersion.command:
            return m.GetVersion(2, 4, 4, 58, *hardware.firmware, 0)
        if command == m.Heartbeat.command:
            return m.Heartbeat(self.active_errors | self.disarm_reason, self.state, self._result, 0)
        if command == m.GetError.command:
            return m.GetError(self.active_errors, self.disarm_reason)
        if command == m.Address.command:
            return m.Address(hardware.node_id, hardware.serial_number, 0)
        if command == m.GetEncoderEstimates.command:
            turns, rate = self._measured()
            return m.GetEncoderEstimates(self._wrapped(turns), rate)
        if command == m.GetIq.command:
            current = self._torque / hardware.torque_constant
            return m.GetIq(current, current)
        if command == m.GetTemperature.command:
            return m.GetTemperature(self.temperature, 0.0)
        if command == m.GetBusVoltageCurrent.command:
            return m.GetBusVoltageCurrent(SUPPLY_V, abs(self._torque * self.rate * 2.0 * math.pi) / SUPPLY_V)
        return None

    @property
    def next_due(self) -> float:
        """When (s) it sends its next message by itself."""
        return min(self._due.values())

    def due(self, now: float) -> list[m.Message]:
        """Return the messages that it sends by itself until `now`."""
        self.advance(now)
        sent = []
        for kind, when in self._due.items():
            if now >= when:
                period = self.hardware.heartbeat_period if kind is m.Heartbeat else self.hardware.estimate_period
                self._due[kind] = max(when + period, now)  # after a delay it is sent once
                if (message := self.answer(kind.command)) is not None:
                    sent.append(message)
        return sent

    def advance(self, now: float) -> None:
        """Turn the motor until `now`, with its protections."""
        while self._now < now:
            step = min(INTEGRATION_STEP_S, now - self._now)
            self._now = now if step < INTEGRATION_STEP_S else self._now + step
            if self.hardware.watchdog and self._now - self._last_feed > self.hardware.watchdog:
                self.trip(flags.WATCHDOG_TIMER_EXPIRED)
            if self.temperature > TRIP_C:
                self.trip(flags.INVERTER_OVER_TEMP)
            self._turn(step)

    def _reset_settings(self) -> None:
        """Return to the saved settings."""
        self.mode = int(m.ControlMode.POSITION)
        self.limits = m.SetLimits(10.0, self.hardware.max_torque / self.hardware.torque_constant)

    def _turn(self, step: float) -> None:
        self._torque = self._driven(step) if self.is_armed else 0.0
        if self._drive is not None and not self.is_armed:
            self._drive.switch_off()
        torque = self._torque
        if self._drive is not None:
            torque -= self._drive.friction(TURN_RAD * self.rate / self._ratio) / self._ratio
        if self.load is not None:
            self.turns, self.rate = self.load(torque, step)
        else:
            friction = self.rate / FRICTION_TIME_S
            self.rate += (torque / (self.hardware.inertia * 2.0 * math.pi) - friction) * step
            self.turns += self.rate * step
        self._record()

    def _record(self) -> None:
        if self._encoder is not None:
            unit = TURN_RAD / self._ratio
            self._encoder.record(self._now, self.turns * unit, self.rate * unit)

    def _measured(self) -> tuple[float, float]:
        """Return turns and turns/s as the encoder measures them."""
        if self._encoder is None:
            return self.turns, self.rate
        angle, rate = self._encoder.measure_rounded(self._now)
        return angle * self._ratio / TURN_RAD, rate * self._ratio / TURN_RAD

    def _driven(self, step: float) -> float:
        """Return the motor's torque (N·m), with the drive's delay, lag and limit."""
        torque = self._controlled(step)
        return (
            torque
            if self._drive is None
            else self._drive.follow(self._drive.delayed(torque * self._ratio)) / self._ratio
        )

    def _controlled(self, step: float) -> float:
        """Return the torque (N·m) of its cascade of controllers."""
        max_torque = min(self.limits.current * self.hardware.torque_constant, self.hardware.max_torque)
        torque = self._goal_torque
        gain = VELOCITY_BANDWIDTH_RAD_S * self.hardware.inertia * 2.0 * math.pi
        if self.mode == m.ControlMode.TORQUE:  # within the velocity limit: enable_torque_mode_vel_limit is on
            limit = self.limits.velocity
            torque = max(-gain * (limit + self.rate), min(torque, gain * (limit - self.rate)))
        else:
            rate = self._goal_rate
            if self.mode == m.ControlMode.POSITION:
                rate += POSITION_GAIN_PER_S * self._position_error()
            rate = max(-self.limits.velocity, min(rate, self.limits.velocity))
            self._integral += gain * INTEGRATOR_GAIN_PER_S * (rate - self.rate) * step
            self._integral = max(-max_torque, min(self._integral, max_torque))
            torque += gain * (rate - self.rate) + self._integral
        return max(-max_torque, min(torque, max_torque))

    def _position_error(self) -> float:
        error = self._goal - self._wrapped(self.turns)
        return math.remainder(error, self.hardware.wrap) if self.hardware.wrap else error

    def _wrapped(self, turns: float) -> float:
        return turns % self.hardware.wrap if self.hardware.wrap else turns

    def _request(self, state: int) -> None:
        if state == m.AxisState.IDLE:
            self._disarm()
        elif state == m.AxisState.CLOSED_LOOP_CONTROL and not self.active_errors:
            self.state, self._result, self._integral, self.disarm_reason = state, 0, 0.0, 0
        else:
            self._result = INVALID_STATE

    def trip(self, error: int) -> None:
        """Report an error and take the torque off."""
        self.active_errors |= error
        if self.is_armed:
            self.disarm_reason = error
        self._disarm()

    def _disarm(self) -> None:
        self.state = int(m.AxisState.IDLE)
