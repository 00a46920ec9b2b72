"""The first fault of a robot's buses, which stops all of them."""

from __future__ import annotations

import threading

from crawler_core.errors import BackendFault


class FaultLatch:
    """Holds the first fault until it is cleared. Later ones are its consequences and are dropped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.fault: BackendFault | None = None

    def latch(self, fault: BackendFault) -> None:
        """Keep `fault` if it is the first one."""
        with self._lock:
            self.fault = self.fault or fault

    def clear(self) -> None:
        self.fault = None
