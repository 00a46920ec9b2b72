"""Detection of processes stopped by Ctrl-Z, SIGSTOP or a debugger."""

from __future__ import annotations

import time
from collections.abc import Callable

POLL_PERIOD_S = 0.2
STOPPED_S = 0.5  # after which a process counts as stopped; some are for a moment


def read_process_status(pid: int) -> list[bytes]:
    """Return the fields of /proc/<pid>/stat after the name, the state first; empty where there is no such process."""
    try:
        # no Path: it interns its parts each time, and in the end Python's table of such strings grows by a megabyte
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def is_stopped(pid: int) -> bool:
    """Return whether that process is stopped right now; False where there is none."""
    return read_process_status(pid)[:1] in ([b"T"], [b"t"])


class StoppedProcessDetector:
    """Called often, returns whether a process has been stopped for a while; it polls only now and then."""

    def __init__(self, pid: int, clock: Callable[[], float] = time.monotonic, *, stopped_s: float = STOPPED_S) -> None:
        self._pid = pid
        self._clock = clock
        self._stopped_s = stopped_s
        self._poll_due = clock()
        self._since: float | None = None

    def __call__(self) -> bool:
        now = self._clock()
        if now < self._poll_due:
            return False
        self._poll_due = now + POLL_PERIOD_S
        if not is_stopped(self._pid):
            self._since = None
            return False
        if self._since is None:
            self._since = now
        return now - self._since >= self._stopped_s
