"""Processes that stand still because somebody has stopped them: by Ctrl-Z, SIGSTOP or a debugger."""

from __future__ import annotations

import time
from collections.abc import Callable

LOOK = 0.2  # s between two looks
STANDS = 0.5  # s after which a process that is found stopped counts so: some are, for a moment


def status_of(pid: int) -> list[bytes]:
    """What /proc/<pid>/stat says after the name, the state first; empty where there is no such process."""
    try:
        # no Path: it interns its parts each time, and in the end Python's table of such strings grows by a megabyte
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def is_stopped(pid: int) -> bool:
    """Whether that process is stopped just now; False where there is none."""
    return status_of(pid)[:1] in ([b"T"], [b"t"])


class StoppedProcessDetector:
    """Whether a process has been stopped for a while. To be asked often: it looks only now and then."""

    def __init__(self, pid: int, clock: Callable[[], float] = time.monotonic, *, stands: float = STANDS) -> None:
        self._pid = pid
        self._clock = clock
        self._stands = stands
        self._due = clock()
        self._since: float | None = None

    def __call__(self) -> bool:
        now = self._clock()
        if now < self._due:
            return False
        self._due = now + LOOK
        if not is_stopped(self._pid):
            self._since = None
            return False
        if self._since is None:
            self._since = now
        return now - self._since >= self._stands
