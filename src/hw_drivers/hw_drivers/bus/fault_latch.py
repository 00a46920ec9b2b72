"""One fault stops all: what the loops of a robot's buses share."""

from __future__ import annotations

import threading

from crawler_core.errors import BackendFault


class FaultLatch:
    """Keeps the first fault until it is cleared; those that follow from it are not the cause."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fault: BackendFault | None = None

    @property
    def fault(self) -> BackendFault | None:
        return self._fault

    def sound(self, fault: BackendFault) -> None:
        """A fault has come up."""
        with self._lock:
            if self._fault is None:
                self._fault = fault

    def clear(self) -> None:
        """The cause is gone, somebody said."""
        self._fault = None
