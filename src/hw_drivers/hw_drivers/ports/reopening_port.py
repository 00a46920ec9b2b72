"""The common part of CAN and I2C ports: one program at a time, and opened again after they vanished."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault
from hw_drivers.ports.device_lock import DeviceLock

Handle = TypeVar("Handle")  # the library's object of an open port


class ReopeningPort(ABC, Generic[Handle]):
    """One port. After it vanished, each call tries to open it again."""

    def __init__(self, description: str, lock: DeviceLock | None) -> None:
        """`description` names it in errors; `lock` is None for a port that others cannot have."""
        self._description = description
        self._lock = lock
        self._handle: Handle | None = None
        self._is_in_use = False  # between `open` and `close`

    def open(self) -> None:
        """Open it. Raises UserError with the remedy."""
        self._disconnect()
        self._handle = self._connect()
        if self._lock is not None:
            try:
                self._lock.acquire()
            except UserError:
                self._disconnect()
                raise
        self._is_in_use = True

    def close(self) -> None:
        """Release it. Never raises."""
        self._is_in_use = False
        self._disconnect()
        if self._lock is not None:
            self._lock.release()

    @abstractmethod
    def _connect(self) -> Handle:
        """Return the open port. Raises UserError with the remedy."""

    @abstractmethod
    def _shut(self, handle: Handle) -> None:
        """Close the open port."""

    def _disconnect(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with contextlib.suppress(Exception):  # an adapter that was pulled out cannot be closed in order
                self._shut(handle)

    def _opened(self) -> Handle:
        """Return the open port, opened again where it had vanished. Raises BusFault."""
        if self._handle is None:
            if not self._is_in_use:
                raise BusFault(f"{self._description} is not open", remedy="open it first")
            try:
                self.open()
            except UserError as error:
                cause, _, remedy = str(error).rstrip(".").partition(": ")
                raise BusFault(cause, remedy=f"{remedy}; then call reset and enable") from None
        assert self._handle is not None
        return self._handle
