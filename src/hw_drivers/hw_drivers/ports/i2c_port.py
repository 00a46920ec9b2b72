"""An I2C bus: opened with sentences for what is wrong; transfers are tried again, and what a board says is checked."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable
from typing import Protocol, TypeVar

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault

T = TypeVar("T")
ATTEMPTS = 3
SILENT = (errno.EREMOTEIO, errno.EIO, errno.ENXIO, errno.EAGAIN)  # one transfer failed, not the bus


class I2c(Protocol):
    """What is used of smbus2.SMBus. Failures are OSErrors."""

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> list[int]: ...

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int]) -> None: ...

    def close(self) -> None: ...


class NoAcknowledge(Exception):
    """Nobody answered, in all tries."""


EMULATED_PORTS: dict[
    str, Callable[[], I2c]
] = {}  # ports that are no device files: what opens them, which may fail as one would


class I2cPort:
    """One bus. After it vanished, each call tries to open it again."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._bus: I2c | None = None
        self._wanted = False

    def open(self) -> None:
        """Open it. Raises UserError with the remedy."""
        self._shut()
        try:
            self._bus = EMULATED_PORTS[self.path]() if self.path in EMULATED_PORTS else _smbus(self.path)
        except OSError as error:
            raise UserError(_why_not(self.path, error)) from None
        self._wanted = True

    def read(self, address: int, register: int, length: int) -> bytes:
        """Registers from `register` on. Raises NoAcknowledge, or BusFault where the bus is gone."""
        return bytes(self._try(lambda bus: bus.read_i2c_block_data(address, register, length)))

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write registers from `register` on. Raises as `read` does."""
        self._try(lambda bus: bus.write_i2c_block_data(address, register, list(data)))

    def close(self) -> None:
        """Release it. Never raises."""
        self._wanted = False
        self._shut()

    def _shut(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            with contextlib.suppress(OSError):  # an adapter that was pulled out cannot be closed in order
                bus.close()

    def _try(self, transfer: Callable[[I2c], T]) -> T:
        for _ in range(ATTEMPTS):
            bus = self._alive()
            try:
                return transfer(bus)
            except OSError as error:
                if error.errno == errno.ETIMEDOUT:
                    break  # a wire is stuck, and another try would take as long again
                if error.errno not in SILENT:
                    raise self._gone(error) from None
        raise NoAcknowledge

    def _alive(self) -> I2c:
        if self._bus is None:
            if not self._wanted:
                raise BusFault(f"the I2C bus {self.path} is not open", remedy="open it first")
            try:
                self.open()
            except UserError as error:
                cause, _, remedy = str(error).rstrip(".").partition(": ")
                raise BusFault(cause, remedy=f"{remedy}; then call reset and enable") from None
        assert self._bus is not None
        return self._bus

    def _gone(self, error: OSError) -> BusFault:
        self._shut()
        return BusFault(
            f"the I2C bus {self.path} has failed: {error.strerror or error}",
            remedy="check the adapter and its cable, then call reset and enable",
        )


def _smbus(path: str) -> I2c:
    try:
        from smbus2 import SMBus
    except ImportError:
        raise UserError("a PCA9685 needs smbus2: install python3-smbus2, or pip install smbus2.") from None
    bus: I2c = SMBus(path)
    return bus


def _why_not(path: str, error: OSError) -> str:
    if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return f"there is no I2C bus {path}: enable I2C in the computer's set-up, and run 'sudo modprobe i2c-dev'."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"you may not use {path}: run 'sudo usermod -aG i2c $USER', then log out and in again."
    if error.errno == errno.ENOTTY:
        return f"{path} is no I2C bus: take one of those that 'ls /dev/i2c-*' shows."
    return f"the I2C bus {path} cannot be opened ({error.strerror or error}): check the port in the robot file."
