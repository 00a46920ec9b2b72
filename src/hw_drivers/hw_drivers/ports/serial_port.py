"""A serial port: read with a deadline, and a fault when it vanishes."""

from __future__ import annotations

import contextlib
import errno
import grp
import os
import select
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault

USB_SERIAL_SYSFS = Path("/sys/bus/usb-serial/devices")
MAX_LATENCY_MS = 4  # that a USB adapter may hold bytes back; the usual 16 is longer than a cycle
BITS_PER_BYTE = 10  # on the wire: a start bit, 8 data bits, a stop bit
SEND_TIMEOUT_S = 1.0
PORT_PATTERNS = ("ttyUSB*", "ttyACM*", "serial/by-id/*")


class SerialPort:
    """One port. `read` and `write` raise BusFault when it is gone."""

    def __init__(self, path: str, baud: int) -> None:
        self.path = path
        self._baud = baud
        self._serial: Any = None

    def open(self) -> None:
        """Open it, locked against other programs. Raises UserError with the remedy."""
        try:
            import serial
        except ImportError:
            raise UserError("a serial bus needs pyserial: install python3-serial, or pip install pyserial.") from None
        try:
            self._serial = serial.Serial(self.path, self._baud, timeout=0, exclusive=True)
        except (serial.SerialException, ValueError, OSError, termios.error) as error:
            raise open_error(self.path, self._baud, error) from None
        # a port without that mode does not hold bytes back
        with contextlib.suppress(NotImplementedError, ValueError, OSError):
            self._serial.set_low_latency_mode(True)  # needs no more rights than opening
        check_latency(self.path)
        self._fd = self._serial.fileno()

    def set_baud(self, baud: int) -> None:
        try:
            self._serial.baudrate = baud
        except termios.error as error:
            raise self._gone(OSError(*error.args)) from None
        except (OSError, ValueError, AttributeError) as error:
            raise self._gone(error) from None

    def write(self, data: bytes) -> None:
        try:
            while data:
                if not select.select([], [self._fd], [], SEND_TIMEOUT_S)[1]:
                    raise OSError(errno.ETIMEDOUT, "it takes no bytes")
                data = data[os.write(self._fd, data) :]
        except (OSError, ValueError, AttributeError) as error:
            raise self._gone(error) from None

    def read(self, deadline: float) -> bytes:
        """Return the received bytes, waiting for the first one until `deadline` (s, time.monotonic)."""
        try:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return b""
            data = os.read(self._fd, 4096)
        except (OSError, ValueError, AttributeError) as error:
            raise self._gone(error) from None
        if not data:  # ready without data: the other end has hung up
            raise self._gone(OSError(errno.ENODEV, "it was unplugged"))
        return data

    def drain(self) -> None:
        """Discard received bytes, such as a late answer."""
        while self.read(0.0):
            pass

    def close(self) -> None:
        """Close it. May be called twice."""
        if self._serial is not None:
            with contextlib.suppress(OSError):  # it is gone already
                self._serial.close()
            self._serial = None
            del self._fd

    def _gone(self, error: Exception) -> BusFault:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not open"
        return BusFault(
            f"the port {self.path} is gone: {reason.lower()}",
            remedy="plug the adapter in again, then call reset and enable",
        )


def open_error(path: str, baud: int, error: Exception) -> UserError:
    """Return the sentence for a port that could not be opened, with the remedy."""
    number = getattr(error, "errno", None)
    if number is None and error.__context__ is not None and error.__context__.args:
        number = error.__context__.args[0]  # of the termios.error that pyserial has wrapped in words
    if number == errno.ENOENT:
        return UserError(f"there is no port {path}: {_available_ports()}.")
    if number == errno.EACCES:
        return UserError(
            f"you may not use the port {path}: join its group with 'sudo usermod -a -G {group_of(path)} $USER', "
            "then log out and in again."
        )
    if number in (errno.EAGAIN, errno.EBUSY):
        return UserError(f"another program uses the port {path}: end it first ('fuser {path}' names it).")
    if number in (errno.ENOTTY, errno.EINVAL, errno.EISDIR):
        return UserError(f"{path} is no serial port: {_available_ports()}.")
    if isinstance(error, ValueError) and number is None:
        return UserError(f"the port {path} cannot run at {baud} baud: choose one of its rates, such as 1000000.")
    return UserError(f"the port {path} cannot be opened ({error}): check the adapter and its cable.")


def group_of(path: str) -> str:
    """Return the group that may use a device, or dialout where it is unknown."""
    try:
        return grp.getgrgid(os.stat(path).st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"


def check_latency(path: str, sysfs: Path = USB_SERIAL_SYSFS) -> None:
    """Raise UserError where a USB adapter holds bytes back for longer than a cycle lasts."""
    timer = sysfs / Path(path).resolve().name / "latency_timer"
    try:
        latency = int(timer.read_text())
    except (OSError, ValueError):
        return  # no adapter of that kind
    if latency > MAX_LATENCY_MS:
        raise UserError(
            f"the adapter at {path} holds bytes back for {latency} ms, more than the allowed {MAX_LATENCY_MS} ms: "
            f"run 'echo 1 | sudo tee {timer}', or add the udev rule of docs/hardware.md."
        )


def ports(root: Path = Path("/dev")) -> Sequence[str]:
    """Return the serial ports of this machine's USB adapters."""
    return sorted(str(path) for pattern in PORT_PATTERNS for path in root.glob(pattern))


def _available_ports() -> str:
    found = ports()
    return f"this machine has {', '.join(found)}" if found else "no USB serial adapter is plugged in"
