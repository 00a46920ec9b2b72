"""The driver of hobby servos on a PCA9685."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

import numpy as np

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import Bus, BusFault, BusKind, Device, NoAnswer, Reading, Source, torque_off_failed
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.link_quality import LinkQuality
from hw_drivers.pca9685 import registers as r
from hw_drivers.pca9685.plan import ServoPlan, plan_servo, prescale, pulse_count, pulse_registers
from hw_drivers.pca9685.pwm_board import AWAKE_MODE, PwmBoard
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings
from hw_drivers.ports.device_lock import DeviceLock
from hw_drivers.ports.i2c_port import I2cPort

MAX_WRONG_CHECKS = 3  # in a row, of a channel or of the board's mode
# of the checks: I2C has no checksums, and each wrong byte may move a servo
ALLOWED_BAD_SHARE, ERROR_LIMIT = 0.04, 2.0
MAX_CYCLE_S = 0.05  # from the begin of a write to the end of a read; a longer one is bad


class Pca9685Bus(Bus):
    """One board. Open loop: a servo on a pulse reports nothing, so a joint's angle is the last setpoint.

    The driver checks the board: that it answers in each cycle, that it has not restarted, and, one channel per cycle,
    that it has kept its pulses since the last cycle, since I2C has no checksums. The board has no watchdog: when this
    program is killed the last pulses go on, and only the board's pin OE ends them (docs/hardware.md).
    """

    kind: ClassVar[str] = "pca9685"

    def __init__(
        self,
        name: str,
        settings: Pca9685Settings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Tests pass their own `clock` and `sleep` (s)."""
        self.name = name
        self.quality = LinkQuality(f"the bus '{name}'", ALLOWED_BAD_SHARE, ERROR_LIMIT)
        self._settings = settings
        is_device = settings.port.startswith("/dev/")
        lock = DeviceLock(f"{settings.port} at 0x{settings.address:02x}") if is_device else None
        self._port = I2cPort(settings.port, lock)
        self._board = PwmBoard(self._port, settings.address, sleep)
        self._clock = clock
        self._plans: tuple[ServoPlan, ...] = ()
        self._counts: list[int] = []  # of the pulses
        self._rates: FloatArray = np.zeros(0)  # rad/s
        self._last_setpoints: FloatArray | None = None  # rad
        self._last_change = -math.inf  # s, when they last changed, or stood still
        self._is_enabled = False
        self._last_answer = -math.inf  # s
        self._checked_channel = 0  # an index of plans
        self._begin = math.inf  # s, of this cycle's write
        self._reset_checks()

    def open(self) -> None:
        self._port.open()

    def scan(self) -> tuple[Device, ...]:
        """Return the channels of this board, with or without servos, and other boards on the port."""
        found = []
        for address in self._find_boards():
            if address == self._settings.address:
                detail = f"of the board at 0x{address:02x}; a servo on it cannot be detected"
                found += [Device(channel, "PCA9685 channel", detail) for channel in range(r.CHANNELS)]
            else:
                found.append(Device(address, "PCA9685", f"another board, at address 0x{address:02x}"))
        return tuple(found)

    def configure(self, joints: Sequence[JointMap]) -> None:
        plans = tuple(plan_servo(joint, self._settings) for joint in joints)
        is_known = plans == self._plans  # then the servos are, at best knowledge, at their last setpoints
        if not is_known:
            self._plans, self._counts = plans, [plan.count(math.radians(plan.settings.rest_deg)) for plan in plans]
        self._rates, self._last_setpoints = np.zeros(len(plans)), None
        self._reset_checks()
        try:
            counts = self._set_up(plans)
        except NoAnswer:
            raise UserError(self._missing_board()) from None
        except BusFault as fault:
            raise fault.as_user_error() from None
        if not is_known:
            self._counts = counts
        self._is_enabled, self._last_answer = False, self._clock()

    def read(self) -> tuple[Reading, ...]:
        """Return the setpoints, as long as the board answers. Raises BusFault where the bus is gone."""
        is_bad = True
        try:
            is_bad = not self._check_mode(self._board.mode())
            self._last_answer = self._clock()
        except NoAnswer:
            pass  # the readings grow old
        self.quality.add(is_bad or self._clock() - self._begin > MAX_CYCLE_S)
        self._begin = math.inf
        return tuple(
            Reading(
                plan.joint.joint,
                self._last_answer,
                plan.angle(self._counts[i]),
                float(self._rates[i]),
                errors=self._errors(i),
                remedy="check the board's supply and wires, then call reset and enable" if self._errors(i) else "",
                source=Source.COMMANDED,
            )
            for i, plan in enumerate(self._plans)
        )

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """Set the pulses of all servos, which take neither rates nor torques. Raises BusFault."""
        if self._is_enabled:
            self._begin = self._clock()
            self._check_next_channel()
        self._counts = [plan.count(angle) for plan, angle in zip(self._plans, position.tolist(), strict=True)]
        self._update_rates(position, velocity)
        if self._is_enabled:
            with contextlib.suppress(NoAnswer):  # the next cycle sends newer ones, and the readings grow old
                self._send(range(len(self._plans)))

    def _switch_on(self) -> None:
        """Start the pulses. A servo that is not at its expected angle goes there as fast as it can."""
        try:
            self._send(range(len(self._plans)))
            for plan, count in zip(self._plans, self._counts, strict=True):
                if self._board.channel(plan.channel) != pulse_registers(count):
                    raise BusFault(
                        f"the board does not take the pulse of {plan.joint.joint}, channel {plan.channel}",
                        remedy="check the I2C wires and their pull-ups, then call reset and enable",
                        joint=plan.joint.joint,
                    )
        except NoAnswer:
            raise BusFault(
                f"{self._label()} does not answer",
                remedy="check the I2C wires, their pull-ups and the board's 3.3 V supply, then call reset and enable",
            ) from None
        self._is_enabled = True
        self._wrong_checks = [0] * len(self._plans)

    def release(self) -> tuple[BusFault, ...]:
        """Stop all pulses at once, then each channel by itself until it confirms."""
        self._is_enabled = False
        self._rates, self._last_setpoints = np.zeros(len(self._plans)), None
        with contextlib.suppress(NoAnswer, BusFault):  # each channel is tried again below
            self._board.all_off()
        failures = ((plan.joint.joint, self._switch_off(plan.channel)) for plan in self._plans)
        return tuple(torque_off_failed(joint, reason) for joint, reason in failures if reason)

    def _joints(self) -> list[JointMap]:
        return [plan.joint for plan in self._plans]

    def close(self) -> None:
        self._is_enabled = False
        self._port.close()

    def _find_boards(self) -> list[int]:
        """Return the addresses at which a PCA9685 answers."""
        found = []
        for address in r.ADDRESSES:
            with contextlib.suppress(NoAnswer):
                if address != r.ALL_CALL_ADDRESS and PwmBoard(self._port, address).is_pca9685():
                    found.append(address)
        return found

    def _set_up(self, plans: Sequence[ServoPlan]) -> list[int]:
        """Set the board up; return the pulses that the servos had until now, or those of their rest."""
        if not self._board.is_pca9685():
            raise UserError(
                f"the device at address 0x{self._settings.address:02x} of {self._port.path} is no PCA9685: check "
                "hardware.buses.<name>.address."
            )
        pre_scale = prescale(self._settings.frequency, self._settings.oscillator)
        was_running = self._board.is_awake() and self._board.pre_scale() == pre_scale
        counts = []
        for plan in plans:
            count = pulse_count(self._board.channel(plan.channel)) if was_running else None
            angle = math.radians(plan.settings.rest_deg) if count is None else plan.angle(count)
            counts.append(plan.count(min(max(angle, plan.joint.lower), plan.joint.upper)))
        self._board.start(pre_scale)
        if self._board.pre_scale() != pre_scale or not self._board.is_awake():
            raise UserError(f"{self._label()} does not take its settings: check the I2C wires and their pull-ups.")
        return counts

    def _send(self, indices: Iterable[int]) -> None:
        self._board.write({self._plans[i].channel: pulse_registers(self._counts[i]) for i in indices})

    def _update_rates(self, position: FloatArray, velocity: FloatArray) -> None:
        """Derive the rates from the setpoints: those of late setpoints are smaller than the commanded ones."""
        now = self._clock()
        if self._last_setpoints is None:
            self._last_setpoints, self._last_change = position.copy(), now
        elif (position != self._last_setpoints).any() and now > self._last_change:
            self._rates = (position - self._last_setpoints) / (now - self._last_change)
            self._last_setpoints, self._last_change = position.copy(), now
        elif not velocity.any():
            self._rates, self._last_change = np.zeros_like(position), now

    def _reset_checks(self) -> None:
        self._asleep_checks = self._garbled_checks = 0  # in a row
        self._wrong_checks = [0] * len(self._plans)  # in a row, of each channel

    def _check_mode(self, mode: int) -> bool:
        """Count wrong modes; return whether this one is right."""
        is_asleep = bool(mode & r.SLEEP)
        is_garbled = not is_asleep and mode & ~r.RESTART != AWAKE_MODE
        self._asleep_checks = self._asleep_checks + 1 if is_asleep else 0
        self._garbled_checks = self._garbled_checks + 1 if is_garbled else 0
        return not is_asleep and not is_garbled

    def _check_next_channel(self) -> None:
        """Check that one channel has kept its pulse since the last cycle."""
        if not self._plans:
            return
        i = self._checked_channel = (self._checked_channel + 1) % len(self._plans)
        is_bad = True
        with contextlib.suppress(NoAnswer):
            is_bad = self._board.channel(self._plans[i].channel) != pulse_registers(self._counts[i])
            self._wrong_checks[i] = self._wrong_checks[i] + 1 if is_bad else 0
        self.quality.add(is_bad)

    def _errors(self, i: int) -> tuple[str, ...]:
        if self._asleep_checks >= MAX_WRONG_CHECKS:
            return ("its PWM board has restarted and gives no pulses",)
        if self._garbled_checks >= MAX_WRONG_CHECKS:
            return ("its PWM board answers garbled",)
        if self._wrong_checks[i] >= MAX_WRONG_CHECKS:
            return (f"channel {self._plans[i].channel} of its PWM board does not keep its pulse",)
        return ()

    def _switch_off(self, channel: int) -> str:
        """Stop one channel's pulses; return the reason where that failed."""
        try:
            for _ in range(MAX_WRONG_CHECKS):
                if self._board.is_off(channel):
                    return ""
                self._board.off(channel)
            return "its channel keeps its pulse"
        except NoAnswer:
            return f"{self._label()} does not answer"
        except BusFault as fault:
            return str(fault)

    def _label(self) -> str:
        return f"the PCA9685 at address 0x{self._settings.address:02x} of {self._port.path}"

    def _missing_board(self) -> str:
        """Return the sentence for a board that does not answer."""
        silent = f"{self._label()} does not answer"
        try:
            others = [f"0x{address:02x}" for address in self._find_boards()]
        except BusFault as fault:
            return f"{silent}: {fault.as_user_error()}"
        if others:
            return f"{silent}, but there is one at {', '.join(others)}: set hardware.buses.<name>.address."
        return f"{silent}, nor does one at another address: check the I2C wires and the board's 3.3 V supply."


BUS_KIND = BusKind(Pca9685Settings, Pca9685Joint, Pca9685Bus, "hw_drivers.pca9685.emulator:emulate")
