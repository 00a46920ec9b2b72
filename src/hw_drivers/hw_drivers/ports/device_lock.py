"""One program per bus, where the kernel would let several have it: two that send setpoints fight each other."""

from __future__ import annotations

import errno
import socket

from crawler_core.errors import UserError


class DeviceLock:
    """A name that one process at a time holds. The kernel lets go of it when that process ends, however it does."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._socket: socket.socket | None = None

    def take(self) -> None:
        """Take it; again is harmless. Raises UserError where another program has it."""
        if self._socket is not None:
            return
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(f"\0crawler_hw_drivers/{self._device}")  # Linux's abstract names need no file and no permission
        except OSError as error:
            held.close()
            if error.errno != errno.EADDRINUSE:
                raise
            raise UserError(
                f"another program uses {self._device}: stop it first, or take the torque off with 'crawler hw estop'."
            ) from None
        self._socket = held

    def drop(self) -> None:
        """Let go of it."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
