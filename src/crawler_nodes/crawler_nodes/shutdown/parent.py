"""The process that started this one and supervises it: the command line, or a launch system.

Its id comes in the environment, because the parent by descent may be a debugger or a shell in between.
"""

from __future__ import annotations

import os

from crawler_nodes.shutdown.stopped_process_detector import StoppedProcessDetector, read_process_status

PARENT_VARIABLE = "CRAWLER_PARENT"
PARENT_STOPPED_S = 0.7  # for which the parent may be stopped
START_TIME_FIELD = 19  # of /proc/<pid>/stat, counted from the state
DEAD_STATES = (b"Z", b"X")


def parent_environment() -> dict[str, str]:
    """Return what the environment of processes needs that this one starts."""
    return {PARENT_VARIABLE: str(os.getpid())}


class ParentProcess:
    """The parent of this process: whether it lives and runs."""

    def __init__(self) -> None:
        text = os.environ.get(PARENT_VARIABLE, "")
        self.pid = int(text) if text.isascii() and text.isdigit() else 0  # 0: this process has no supervisor
        self._start_time = self._read_start_time()
        self._is_stopped = StoppedProcessDetector(self.pid, stopped_s=PARENT_STOPPED_S)

    def end_reason(self, drives_motors: bool) -> str:
        """Return why this process should end, empty where it should not. Call it often.

        A process that drives motors also ends while its parent is stopped, because nothing supervises them then.
        """
        if not self.pid:
            return ""
        if not self._start_time or self._read_start_time() != self._start_time:
            return f"its parent process {self.pid} is gone"
        if drives_motors and self._is_stopped():
            return f"its parent process {self.pid} is stopped, so nothing supervises the motors"
        return ""

    def _read_start_time(self) -> bytes:
        """Return when the parent began; empty where there is none."""
        fields = read_process_status(self.pid) if self.pid else []
        return b"" if not fields or fields[0] in DEAD_STATES else fields[START_TIME_FIELD]
