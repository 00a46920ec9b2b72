"""One emulated ODrive: its answers to CANSimple's messages, its controllers, and a motor with inertia."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hw_drivers.odrive import error_flags as flags
from hw_drivers.odrive import messages as m

INTEGRATION_STEP_S = 0.5e-3  # s of one step of the motor's dynamics
VELOCITY_BANDWIDTH_RAD_S = 100.0  # 1/s of the velocity loop
POSITION_GAIN_PER_S = 20.0  # 1/s, the drive's own default
INTEGRATOR_GAIN_PER_S = 20.0  # 1/s
FRICTION_TIME_S = 0.05  # s in which a motor without torque comes to rest
REBOOT_TIME_S = 0.3  # s
TRIP_C = 80.0  # degrees C at which it takes its torque off
AMBIENT_C = 30.0  # degrees C
SUPPLY_V = 24.0  # V
INVALID_STATE = 13  # procedure_result


@dataclass(frozen=True)
class AxisHardware:
    """A drive and its motor, as bought and set up."""

    node_id: int
    serial_number: bytes = b"\x01\x00\x00\x00\x00\x00"
    firmware: tuple[int, int, int] = (0, 6, 10)
    torque_constant: float = 0.05  # N·m/A
    max_torque: float = 0.5  # N·m
    inertia: float = 1e-4  # kg·m², of the motor and what it moves
    wrap: float = 0.0  # turns
    velocity_scale: float = 1000.0
    torque_scale: float = 1000.0
    watchdog: float = 0.5  # s; 0: off
    heartbeat_period: float = 0.1  # s
    estimate_period: float = 0.01  # s; the currents come as often


class EmulatedAxis:
    """Takes messages, sends messages, and turns. `now` is in s of any clock that goes forward."""

    def __init__(self, hardware: AxisHardware, turns: float, now: float) -> None:
        self.hardware = hardware
        self.turns = turns  # without wrapping
        self.rate = 0.0  # turns/s
        self.state = int(m.AxisState.IDLE)
        self.active_errors = 0
        self.disarm_reason = 0
        self.temperature = AMBIENT_C
        self.dead = False
        # the motor's torque (N·m) and how long it acts (s) to its turns and turns/s then; None: a rotor by itself
        self.load: Callable[[float, float], tuple[float, float]] | None = None
        self._result = 0
        self._forget()
        self._goal = self._turned(turns)
        self._goal_rate = self._goal_torque = self._integral = self._torque = 0.0
        self._now = self._fed = now
        self._back_at = -math.inf  # when a reboot is over
        self._due: dict[type[m.Message], float] = {m.Heartbeat: now, m.GetEncoderEstimates: now, m.GetIq: now}

    @property
    def armed(self) -> bool:
        """Whether its motor holds torque."""
        return self.state == m.AxisState.CLOSED_LOOP_CONTROL and not self.dead

    @property
    def silent(self) -> bool:
        """Whether it is dead or starting."""
        return self.dead or self._now < self._back_at

    def take(self, message: m.Message, now: float) -> None:
        """Do what a message says."""
        self.advance(now)
        if self.silent:
            return
        # the published firmware feeds on every frame; this one is stricter, so that a driver must send setpoints
        if isinstance(message, (m.SetInputPos, m.SetInputVel, m.SetInputTorque, m.SetAxisState, m.ClearErrors)):
            self._fed = now
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
            self._trip(flags.ESTOP_REQUESTED)
        elif isinstance(message, m.Reboot):
            self._disarm()
            self.active_errors = self.disarm_reason = 0
            self._back_at = now + REBOOT_TIME_S
            self._forget()

    def answer(self, command: int) -> m.Message | None:
        """The message of this kind as it is now, or None where it sends no such thing."""
        hardware = self.hardware
        if self.silent:
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
            return m.GetEncoderEstimates(self._turned(self.turns), self.rate)
        if command == m.GetIq.command:
            current = self._torque / hardware.torque_constant
            return m.GetIq(current, current)
        if command == m.GetTemperature.command:
            return m.GetTemperature(self.temperature, 0.0)
        if command == m.GetBusVoltageCurrent.command:
            return m.GetBusVoltageCurrent(SUPPLY_V, abs(self._torque * self.rate * 2.0 * math.pi) / SUPPLY_V)
        return None

    def due(self, now: float) -> list[m.Message]:
        """What it sends by itself until `now`."""
        self.advance(now)
        sent = []
        for kind, when in self._due.items():
            if now >= when:
                period = self.hardware.heartbeat_period if kind is m.Heartbeat else self.hardware.estimate_period
                self._due[kind] = max(when + period, now)  # one that was delayed is not sent twice
                if (message := self.answer(kind.command)) is not None:
                    sent.append(message)
        return sent

    def advance(self, now: float) -> None:
        """Let the motor turn until `now`; its protections act on the way."""
        while self._now < now:
            step = min(INTEGRATION_STEP_S, now - self._now)
            self._now = now if step < INTEGRATION_STEP_S else self._now + step
            if self.hardware.watchdog and self._now - self._fed > self.hardware.watchdog:
                self._trip(flags.WATCHDOG_TIMER_EXPIRED)
            if self.temperature > TRIP_C:
                self._trip(flags.INVERTER_OVER_TEMP)
            self._turn(step)

    def trip(self, error: int) -> None:
        """Have an error, as if by itself."""
        self._trip(error)

    def _forget(self) -> None:
        """What it was told and did not save."""
        self.mode = int(m.ControlMode.POSITION)
        self.limits = m.SetLimits(10.0, self.hardware.max_torque / self.hardware.torque_constant)

    def _turn(self, step: float) -> None:
        self._torque = self._controlled(step) if self.armed else 0.0
        if self.load is not None:
            self.turns, self.rate = self.load(self._torque, step)
            return
        friction = self.rate / FRICTION_TIME_S
        self.rate += (self._torque / (self.hardware.inertia * 2.0 * math.pi) - friction) * step
        self.turns += self.rate * step

    def _controlled(self, step: float) -> float:
        """The torque (N·m) of its cascade of controllers."""
        most = min(self.limits.current * self.hardware.torque_constant, self.hardware.max_torque)
        torque = self._goal_torque
        gain = VELOCITY_BANDWIDTH_RAD_S * self.hardware.inertia * 2.0 * math.pi
        if self.mode == m.ControlMode.TORQUE:  # within the velocity limit, unless one switches that off in the drive
            fastest = self.limits.velocity
            torque = max(-gain * (fastest + self.rate), min(torque, gain * (fastest - self.rate)))
        else:
            rate = self._goal_rate
            if self.mode == m.ControlMode.POSITION:
                rate += POSITION_GAIN_PER_S * self._away()
            rate = max(-self.limits.velocity, min(rate, self.limits.velocity))
            self._integral += gain * INTEGRATOR_GAIN_PER_S * (rate - self.rate) * step
            self._integral = max(-most, min(self._integral, most))
            torque += gain * (rate - self.rate) + self._integral
        return max(-most, min(torque, most))

    def _away(self) -> float:
        away = self._goal - self._turned(self.turns)
        return math.remainder(away, self.hardware.wrap) if self.hardware.wrap else away

    def _turned(self, turns: float) -> float:
        return turns % self.hardware.wrap if self.hardware.wrap else turns

    def _request(self, state: int) -> None:
        if state == m.AxisState.IDLE:
            self._disarm()
        elif state == m.AxisState.CLOSED_LOOP_CONTROL and not self.active_errors:
            self.state, self._result, self._integral, self.disarm_reason = state, 0, 0.0, 0
        else:
            self._result = INVALID_STATE

    def _trip(self, error: int) -> None:
        self.active_errors |= error
        if self.armed:
            self.disarm_reason = error
        self._disarm()

    def _disarm(self) -> None:
        self.state = int(m.AxisState.IDLE)
