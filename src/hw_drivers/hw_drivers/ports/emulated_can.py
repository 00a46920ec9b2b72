"""An emulated CAN interface: python-can's virtual one, with the errors of a real one."""

from __future__ import annotations

import errno
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import can
from can.interfaces import BACKENDS
from can.interfaces.virtual import VirtualBus

from hw_drivers.ports.can_port import CAN_ERR_BUSOFF

INTERFACE_NAME = "crawler_emulator"
BACKENDS[INTERFACE_NAME] = (__name__, "EmulatedCan")


@dataclass
class EmulatedWire:
    is_gone: bool = False
    is_bus_off: bool = False
    on_frame: Callable[[], None] = lambda: None  # called after the driver has sent one


EMULATED_WIRES: dict[str, EmulatedWire] = {}
_numbers = itertools.count()


def new_wire(on_frame: Callable[[], None] = lambda: None) -> str:
    """Make an interface; return its channel. `on_frame` is called after each frame that the driver has sent."""
    channel = f"emulated-{next(_numbers)}"
    EMULATED_WIRES[channel] = EmulatedWire(on_frame=on_frame)
    return channel


class EmulatedCan(VirtualBus):
    """The driver's end."""

    def __init__(self, channel: str, **kwargs: Any) -> None:
        wire = EMULATED_WIRES.get(channel)
        self._attached = False
        if wire is None or wire.is_gone:
            self._open = False
            self._is_shutdown = True
            raise can.CanInitializationError("No such device", error_code=errno.ENODEV)
        super().__init__(channel, **kwargs)
        self._wire = wire
        self._reported_bus_off = False

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """Send, or fail as a real interface does."""
        self._check_wire()
        if self._wire.is_bus_off:
            raise can.CanOperationError("No buffer space available", error_code=errno.ENOBUFS)
        super().send(msg, timeout)
        self._wire.on_frame()

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        self._check_wire()
        if not self._wire.is_bus_off:
            self._reported_bus_off = False
            return super()._recv_internal(timeout)
        if self._reported_bus_off:
            return None, False
        self._reported_bus_off = True
        return can.Message(arbitration_id=CAN_ERR_BUSOFF, is_error_frame=True, dlc=8, data=bytes(8)), False

    def _check_wire(self) -> None:
        if self._wire.is_gone:
            raise can.CanOperationError("Network is down", error_code=errno.ENETDOWN)
