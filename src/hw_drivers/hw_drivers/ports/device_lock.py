"""A lock that gives one device to one process at a time: two programs that send setpoints fight each other."""

from __future__ import annotations

import errno
import socket

from crawler_core.errors import UserError


class DeviceLock:
    """A name that one process holds. The kernel releases it when that process ends, in whatever way."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._socket: socket.socket | None = None

    def acquire(self) -> None:
        """Lock the device; again is harmless. Raises UserError where another program holds it."""
        if self._socket is not None:
            return
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0crawler_hw_drivers/{self._device}")  # Linux's abstract names need no file and no permission
        except OSError as error:
            lock.close()
            if error.errno != errno.EADDRINUSE:
                raise
            raise UserError(
                f"another program uses {self._device}: stop it first, or take the torque off with 'crawler hw estop'."
            ) from None
        self._socket = lock

    def release(self) -> None:
        """Unlock the device."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
