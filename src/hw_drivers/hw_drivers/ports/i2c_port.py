"""An I2C bus. Failed transfers are repeated."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Protocol, TypeVar

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault, NoAnswer
from hw_drivers.ports.device_lock import DeviceLock
from hw_drivers.ports.reopening_port import ReopeningPort

Result = TypeVar("Result")
TRANSFER_ATTEMPTS = 3
NO_ANSWER_ERRNOS = (errno.EREMOTEIO, errno.EIO, errno.ENXIO, errno.EAGAIN)  # one transfer failed, not the bus


class I2c(Protocol):
    """The used part of smbus2.SMBus. Failures are OSErrors."""

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]: ...

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None: ...

    def close(self) -> None: ...


# emulated ports, which are no device files: the functions that open them, and raise OSErrors as SMBus does
EMULATED_PORTS: dict[str, Callable[[], I2c]] = {}


class I2cPort(ReopeningPort[I2c]):
    def __init__(self, path: str, lock: DeviceLock | None = None) -> None:
        super().__init__(f"the I2C bus {path}", lock)
        self.path = path

    def read(self, address: int, register: int, length: int) -> bytes:
        """Read `length` registers. Raises NoAnswer, or BusFault where the bus is gone."""
        return bytes(self._attempt(lambda bus: bus.read_i2c_block_data(address, register, length)))

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write consecutive registers. Raises as `read` does."""
        self._attempt(lambda bus: bus.write_i2c_block_data(address, register, list(data)))

    def _connect(self) -> I2c:
        try:
            return EMULATED_PORTS[self.path]() if self.path in EMULATED_PORTS else _smbus(self.path)
        except OSError as error:
            raise UserError(_open_error(self.path, error)) from None

    def _shut(self, handle: I2c) -> None:
        handle.close()

    def _attempt(self, transfer: Callable[[I2c], Result]) -> Result:
        for _ in range(TRANSFER_ATTEMPTS):
            bus = self._opened()
            try:
                return transfer(bus)
            except OSError as error:
                if error.errno == errno.ETIMEDOUT:
                    break  # a wire is stuck, and another attempt would take as long again
                if error.errno not in NO_ANSWER_ERRNOS:
                    raise self._failure(error) from None
        raise NoAnswer

    def _failure(self, error: OSError) -> BusFault:
        self._disconnect()
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


def _open_error(path: str, error: OSError) -> str:
    if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return f"there is no I2C bus {path}: enable I2C in the computer's set-up, and run 'sudo modprobe i2c-dev'."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"you may not use {path}: run 'sudo usermod -aG i2c $USER', then log out and in again."
    if error.errno == errno.ENOTTY:
        return f"{path} is no I2C bus: take one of those that 'ls /dev/i2c-*' shows."
    return f"the I2C bus {path} cannot be opened ({error.strerror or error}): check the port in the robot file."
