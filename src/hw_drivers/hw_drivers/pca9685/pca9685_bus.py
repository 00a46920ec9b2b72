"""Hobby servos on a PCA9685 behind the contract of `hw_drivers.bus.bus`."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

import numpy as np

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import BusFault, BusKind, Device, JointMap, Reading, Source
from hw_drivers.pca9685 import registers as r
from hw_drivers.pca9685.plan import ServoPlan, plan_servo, prescale, pulse_count, pulse_registers
from hw_drivers.pca9685.pwm_board import AWAKE_MODE, PwmBoard
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings
from hw_drivers.ports.device_lock import DeviceLock
from hw_drivers.ports.i2c_port import I2cPort, NoAcknowledge

MAX_WRONG_CHECKS = 3  # looks in a row at a channel that does not hold what was written


class Pca9685Bus:
    """One board. Open loop: a servo on a pulse tells nothing, so a joint is where it was commanded to be.

    What is checked is the board: that it answers in each cycle, that it has not restarted, and, one channel per cycle,
    that it holds the pulses it was told; I2C has no checksums. It has no watchdog: when this program is killed the last
    pulses go on, and only its pin OE ends them (docs/hardware.md).
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
        """Tests bring their own `clock` and `sleep` (s)."""
        self.name = name
        self._settings = settings
        self._port = I2cPort(settings.port)
        self._board = PwmBoard(self._port, settings.address, sleep)
        self._claim = (
            DeviceLock(f"{settings.port} at 0x{settings.address:02x}") if settings.port.startswith("/dev/") else None
        )
        self._clock = clock
        self._plans: tuple[ServoPlan, ...] = ()
        self._counts: list[int] = []
        self._rates: FloatArray = np.zeros(0)
        self._told: FloatArray | None = None  # rad, the last setpoints
        self._told_at = -math.inf  # s, when they last changed, or stood still
        self._wrong: list[int] = []
        self._enabled = False
        self._asleep = self._garbled = 0  # looks in a row
        self._heard = -math.inf
        self._looked = 0

    def open(self) -> None:
        """Open the I2C bus. Raises UserError."""
        self._port.open()
        if self._claim is not None:
            try:
                self._claim.take()
            except UserError:
                self._port.close()
                raise

    def scan(self) -> tuple[Device, ...]:
        """The channels of this board, whether or not a servo is plugged in, and other boards on the port."""
        found = []
        for address in self._boards():
            if address == self._settings.address:
                where = f"of the board at 0x{address:02x}; whether there is a servo cannot be told"
                found += [Device(channel, "PCA9685 channel", where) for channel in range(r.CHANNELS)]
            else:
                found.append(Device(address, "PCA9685", f"another board, at address 0x{address:02x}"))
        return tuple(found)

    def configure(self, joints: Sequence[JointMap]) -> None:
        """Check and set up the board, all pulses off. Raises UserError."""
        plans = tuple(plan_servo(joint, self._settings) for joint in joints)
        for i, plan in enumerate(plans):
            for other in plans[:i]:
                if other.channel == plan.channel:
                    raise UserError(
                        f"{other.joint.joint} and {plan.joint.joint} are both on channel {plan.channel}: "
                        f"put each servo on its own, and set hardware.joints.{plan.joint.joint}.id."
                    )
        known = plans == self._plans  # then the servos are, at best knowledge, where they were last told to be
        if not known:
            self._plans, self._counts = plans, [plan.count(math.radians(plan.own.rest_deg)) for plan in plans]
        self._rates, self._wrong, self._told = np.zeros(len(plans)), [0] * len(plans), None
        pre_scale = prescale(self._settings.frequency, self._settings.oscillator)
        try:
            counts = self._set_up(plans, pre_scale)
        except NoAcknowledge:
            raise UserError(self._missing()) from None
        except BusFault as fault:
            raise UserError(f"{fault}: {fault.remedy}.") from None
        if not known:
            self._counts = counts
        self._enabled, self._heard = False, self._clock()
        self._asleep = self._garbled = 0

    def read(self) -> tuple[Reading, ...]:
        """What the servos were told, if the board still answers. Raises BusFault where the bus is gone."""
        try:
            self._note_mode(self._board.mode())
            self._heard = self._clock()
            self._look()
        except NoAcknowledge:
            pass  # the readings grow old
        return tuple(
            Reading(
                plan.joint.joint,
                self._heard,
                plan.angle(self._counts[i]),
                float(self._rates[i]),
                errors=self._errors(i),
                remedy="check the board's supply and wires, then call reset and enable" if self._errors(i) else "",
                source=Source.COMMANDED,
            )
            for i, plan in enumerate(self._plans)
        )

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """New pulses for all servos; they take neither rates nor torques. Raises BusFault."""
        self._counts = [plan.count(angle) for plan, angle in zip(self._plans, position.tolist(), strict=True)]
        self._note_rates(position, velocity)
        if self._enabled:
            with contextlib.suppress(NoAcknowledge):  # the next cycle sends newer ones, and the readings grow old
                self._send(range(len(self._plans)))

    def enable(self) -> None:
        """Pulses on. A servo that is not where it was taken to be goes there as fast as it can."""
        try:
            self._send(range(len(self._plans)))
            for i, plan in enumerate(self._plans):
                if self._board.channel(plan.channel) != pulse_registers(self._counts[i]):
                    joint = plan.joint.joint
                    raise BusFault(
                        f"the board does not take the pulse of {joint}, channel {plan.channel}",
                        remedy="check the I2C wires and their pull-ups, then call reset and enable",
                        joint=joint,
                    )
        except NoAcknowledge:
            self.release()
            raise self._silent() from None
        except BusFault:
            self.release()
            raise
        self._enabled = True
        self._wrong = [0] * len(self._plans)

    def release(self) -> tuple[BusFault, ...]:
        """Pulses off: all at once, then each channel by itself until it says so."""
        self._enabled = False
        self._rates, self._told = np.zeros(len(self._plans)), None
        with contextlib.suppress(NoAcknowledge, BusFault):  # each of them will say so below
            self._board.all_off()
        failures = []
        for plan in self._plans:
            why = self._switch_off(plan.channel)
            if why:
                failures.append(
                    BusFault(
                        f"the pulses of {plan.joint.joint} could not be stopped: {why}",
                        remedy="switch the power of the servos off",
                        joint=plan.joint.joint,
                    )
                )
        return tuple(failures)

    def keep_alive(self) -> None:
        """The board has no watchdog to feed."""

    def clear(self) -> None:
        """Set the board up again. Raises BusFault."""
        self.release()
        try:
            self.configure([plan.joint for plan in self._plans])
        except UserError as error:
            raise BusFault(str(error).rstrip("."), remedy="put that right, then call reset and enable") from None

    def close(self) -> None:
        """Release the I2C bus. Pulses go on as they are."""
        self._enabled = False
        self._port.close()
        if self._claim is not None:
            self._claim.drop()

    def _boards(self) -> list[int]:
        """The addresses at which a PCA9685 answers."""
        found = []
        for address in r.ADDRESSES:
            with contextlib.suppress(NoAcknowledge):
                if address != r.ALL_CALL_ADDRESS and PwmBoard(self._port, address).is_one():
                    found.append(address)
        return found

    def _set_up(self, plans: Sequence[ServoPlan], pre_scale: int) -> list[int]:
        """Set the board up; the pulses that the servos had until now, or else those of their rest."""
        if not self._board.is_one():
            raise UserError(
                f"what answers at address 0x{self._settings.address:02x} of {self._port.path} is no PCA9685: check "
                "hardware.buses.<name>.address."
            )
        running = self._board.is_awake() and self._board.pre_scale() == pre_scale
        counts = []
        for plan in plans:
            count = pulse_count(self._board.channel(plan.channel)) if running else None
            angle = math.radians(plan.own.rest_deg) if count is None else plan.angle(count)
            counts.append(plan.count(min(max(angle, plan.joint.lower), plan.joint.upper)))
        self._board.start(pre_scale)
        if self._board.pre_scale() != pre_scale or not self._board.is_awake():
            raise UserError(f"{self._who()} does not take its settings: check the I2C wires and their pull-ups.")
        return counts

    def _send(self, which: Iterable[int]) -> None:
        self._board.write({self._plans[i].channel: pulse_registers(self._counts[i]) for i in which})

    def _look(self) -> None:
        """At one channel per cycle: whether it holds what was written."""
        if not self._enabled or not self._plans:
            return
        i = self._looked = (self._looked + 1) % len(self._plans)
        if self._board.channel(self._plans[i].channel) == pulse_registers(self._counts[i]):
            self._wrong[i] = 0
        else:
            self._wrong[i] += 1
            self._send([i])

    def _note_rates(self, position: FloatArray, velocity: FloatArray) -> None:
        """What the setpoints really do, which is less than the rates they come with when they come late."""
        now = self._clock()
        if self._told is None:
            self._told, self._told_at = position.copy(), now
        elif (position != self._told).any() and now > self._told_at:
            self._rates = (position - self._told) / (now - self._told_at)
            self._told, self._told_at = position.copy(), now
        elif not velocity.any():
            self._rates, self._told_at = np.zeros_like(position), now

    def _note_mode(self, mode: int) -> None:
        sleeps = bool(mode & r.SLEEP)
        self._asleep = self._asleep + 1 if sleeps else 0
        self._garbled = self._garbled + 1 if not sleeps and mode & ~r.RESTART != AWAKE_MODE else 0

    def _errors(self, i: int) -> tuple[str, ...]:
        if self._asleep >= MAX_WRONG_CHECKS:
            return ("its PWM board has restarted and gives no pulses",)
        if self._garbled >= MAX_WRONG_CHECKS:
            return ("its PWM board answers garbled",)
        if self._wrong[i] >= MAX_WRONG_CHECKS:
            return (f"channel {self._plans[i].channel} of its PWM board does not keep the pulse it is told",)
        return ()

    def _switch_off(self, channel: int) -> str:
        """Why it failed, or nothing."""
        try:
            for _ in range(MAX_WRONG_CHECKS):
                if self._board.is_off(channel):
                    return ""
                self._board.off(channel)
            return "its channel keeps its pulse"
        except NoAcknowledge:
            return f"{self._who()} does not answer"
        except BusFault as fault:
            return str(fault)

    def _who(self) -> str:
        return f"the PCA9685 at address 0x{self._settings.address:02x} of {self._port.path}"

    def _silent(self) -> BusFault:
        return BusFault(
            f"{self._who()} does not answer",
            remedy="check the I2C wires, their pull-ups and the board's 3.3 V supply, then call reset and enable",
        )

    def _missing(self) -> str:
        try:
            others = [f"0x{address:02x}" for address in self._boards()]
        except BusFault as fault:
            return f"{self._who()} does not answer: {fault}: {fault.remedy}."
        if others:
            return (
                f"{self._who()} does not answer, but there is one at {', '.join(others)}: set "
                "hardware.buses.<name>.address."
            )
        return (
            f"{self._who()} does not answer, nor at another address: check the I2C wires and the board's 3.3 V supply."
        )


BUS_KIND = BusKind(Pca9685Settings, Pca9685Joint, Pca9685Bus, "hw_drivers.pca9685.emulator:emulate")
