"""An emulated I2C bus with a PCA9685 and servos that turn to their pulses, in place of smbus2's."""

from __future__ import annotations

import errno
import itertools
import math
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import JointMap
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS
from hw_drivers.pca9685.emulated_pwm_board import EmulatedPwmBoard
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings
from hw_drivers.ports.i2c_port import EMULATED_PORTS, I2c

LAG_S = 0.02  # s of the servo's first-order lag
MAX_RATE_RAD_S = 15.0  # rad/s that it can turn at most
LATE_REPLY_DELAY_S = 0.2  # s that a transfer takes where the board stretches the clock
_numbers = itertools.count()


class EmulatedServo:
    """A servo that follows its pulses, and stays where it is without any."""

    def __init__(self, own: Pca9685Joint, angle: float, now: float) -> None:
        """`angle` (rad) is the servo's own."""
        self._own = own
        self.angle = angle
        self.rate = 0.0
        self._now = now

    def advance(self, pulse: float | None, now: float) -> None:
        """Turn until `now` with a pulse (s)."""
        elapsed, self._now = now - self._now, now
        if elapsed <= 0.0:
            return
        before = self.angle
        if pulse is not None:
            share = (1e6 * pulse - self._own.trim_us - self._own.low_us) / (self._own.high_us - self._own.low_us)
            goal = math.radians(self._own.low_deg + share * (self._own.high_deg - self._own.low_deg))
            way = (goal - self.angle) * (1.0 - math.exp(-elapsed / LAG_S))
            self.angle += max(-MAX_RATE_RAD_S * elapsed, min(way, MAX_RATE_RAD_S * elapsed))
        self.rate = (self.angle - before) / elapsed


class Pca9685Emulator:
    """A bus with one board. `board` and `servos` are there to be looked at."""

    def __init__(
        self,
        board: EmulatedPwmBoard,
        address: int,
        joints: Sequence[JointMap],
        servos: Sequence[EmulatedServo],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.port = f"emulated-i2c-{next(_numbers)}"
        self.board = board
        self.servos = list(servos)
        self.transfers = 0
        self._address = address
        self._joints = list(joints)
        self._clock = clock
        self._sleep = sleep
        self._fault = "none"
        self._dead: set[str] = set()  # joints whose servo does not turn
        self._lock = threading.RLock()
        EMULATED_PORTS[self.port] = self._open

    def motion(self) -> tuple[FloatArray, FloatArray]:
        """The joints' true angles and rates, which the driver cannot know."""
        with self._lock:
            self._advance()
            pairs = list(zip(self._joints, self.servos, strict=True))
            return (
                np.array([joint.to_joint(servo.angle) for joint, servo in pairs]),
                np.array([joint.rate_to_joint(servo.rate) for joint, servo in pairs]),
            )

    def torque(self) -> tuple[bool, ...]:
        """Whether each servo gets pulses."""
        with self._lock:
            return tuple(self._pulse(joint) is not None for joint in self._joints)

    def inject(self, fault: str, joint: str = "") -> None:
        """Begin a fault; `none` heals everything.

        A servo that is `dead` or `hot` is limp, and nothing on the bus shows it. Without a joint, `dead` is the board,
        which loses its power.
        """
        if fault not in INJECTABLE_FAULTS:
            raise unknown_name("fault of an emulated PCA9685", fault, INJECTABLE_FAULTS)
        if joint and all(one.joint != joint for one in self._joints):
            return  # it is on another bus
        with self._lock:
            self._advance()
            if fault == "none":
                if self._fault == "dead":
                    self.board.power_on()
                self._dead.clear()
                self._fault = fault
            elif fault == "hot" or (fault == "dead" and joint):
                self._dead |= {one.joint for one in self._joints if joint in ("", one.joint)}
            else:
                self._fault = fault

    def close(self) -> None:
        """End it."""
        EMULATED_PORTS.pop(self.port, None)

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> list[int]:
        """As smbus2's."""
        with self._lock:
            self._transfer(i2c_addr)
            return list(self._spoil(self.board.read(register, length)))

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int]) -> None:
        """As smbus2's."""
        with self._lock:
            self._transfer(i2c_addr)
            self.board.write(register, self._spoil(bytes(data)))

    def _open(self) -> I2c:
        if self._fault == "gone":
            raise OSError(errno.ENOENT, "No such file or directory")
        return _Handle(self)

    def _transfer(self, address: int) -> None:
        self.transfers += 1
        self._advance()
        if self._fault == "gone":
            raise OSError(errno.ENODEV, "No such device")
        if self._fault == "late":
            self._sleep(LATE_REPLY_DELAY_S)
            raise OSError(errno.ETIMEDOUT, "Connection timed out")
        if address != self._address or self._fault in ("lost", "dead"):
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def _spoil(self, data: bytes) -> bytes:
        if self._fault == "corrupt":
            return bytes(value ^ 0x08 for value in data)
        if self._fault == "truncated":
            return data[: len(data) // 2]
        return data

    def _advance(self) -> None:
        now = self._clock()
        for joint, servo in zip(self._joints, self.servos, strict=True):
            servo.advance(self._pulse(joint), now)

    def _pulse(self, joint: JointMap) -> float | None:
        if joint.joint in self._dead or self._fault == "dead":
            return None
        return self.board.pulse(joint.id)


class _Handle:
    """An open file of the bus."""

    def __init__(self, emulator: Pca9685Emulator) -> None:
        self._emulator: Pca9685Emulator | None = emulator

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> list[int]:
        return self._opened().read_i2c_block_data(i2c_addr, register, length)

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int]) -> None:
        self._opened().write_i2c_block_data(i2c_addr, register, data)

    def close(self) -> None:
        self._emulator = None

    def _opened(self) -> Pca9685Emulator:
        if self._emulator is None:
            raise OSError(errno.EBADF, "Bad file descriptor")
        return self._emulator


def emulate(settings: Pca9685Settings, joints: Sequence[JointMap], start: Sequence[float]) -> Pca9685Emulator:
    """A board as the robot file wants it, with its joints at `start` (rad)."""
    now = time.monotonic()
    servos = [EmulatedServo(joint.own, joint.to_motor(angle), now) for joint, angle in zip(joints, start, strict=True)]
    return Pca9685Emulator(EmulatedPwmBoard(settings.oscillator), settings.address, joints, servos)
