"""A CAN interface that can vanish: python-can's virtual one, with the errors of a real one."""

from __future__ import annotations

import errno
import itertools
from dataclasses import dataclass
from typing import Any

import can
from can.interfaces import BACKENDS
from can.interfaces.virtual import VirtualBus

INTERFACE_NAME = "crawler_emulator"
BACKENDS[INTERFACE_NAME] = (__name__, "EmulatedCan")
CAN_ERR_BUSOFF = 0x40  # SocketCAN's CAN_ERR_BUSOFF


@dataclass
class EmulatedWire:
    """One emulated interface."""

    gone: bool = False
    bus_off: bool = False


EMULATED_WIRES: dict[str, EmulatedWire] = {}
_numbers = itertools.count()


def new_wire() -> str:
    """The channel of a new interface."""
    channel = f"emulated-{next(_numbers)}"
    EMULATED_WIRES[channel] = EmulatedWire()
    return channel


class EmulatedCan(VirtualBus):
    """The driver's end."""

    def __init__(self, channel: str, **kwargs: Any) -> None:
        wire = EMULATED_WIRES.get(channel)
        self._attached = False
        if wire is None or wire.gone:
            self._open = False
            self._is_shutdown = True
            raise can.CanInitializationError("No such device", error_code=errno.ENODEV)
        super().__init__(channel, **kwargs)
        self._wire = wire
        self._told = False

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """Send, or fail as a real interface does."""
        self._check_wire()
        if self._wire.bus_off:
            raise can.CanOperationError("No buffer space available", error_code=errno.ENOBUFS)
        super().send(msg, timeout)

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        self._check_wire()
        if not self._wire.bus_off:
            self._told = False
            return super()._recv_internal(timeout)
        if self._told:
            return None, False
        self._told = True
        return can.Message(arbitration_id=CAN_ERR_BUSOFF, is_error_frame=True, dlc=8, data=bytes(8)), False

    def _check_wire(self) -> None:
        if self._wire.gone:
            raise can.CanOperationError("Network is down", error_code=errno.ENETDOWN)
