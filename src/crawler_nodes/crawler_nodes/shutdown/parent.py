"""The process that started this one and looks after it: the command line, or a launch system.

Its id is handed down in the environment, since the parent by descent may be a debugger or a shell in between.
"""

from __future__ import annotations

import os

from crawler_nodes.shutdown.stopped_process_detector import StoppedProcessDetector, status_of

VARIABLE = "CRAWLER_PARENT"
STANDS = 0.7  # s that it may be stopped
BEGAN = 19  # which word of /proc/<pid>/stat says when it began, after the state
DEAD = (b"Z", b"X")


def as_parent() -> dict[str, str]:
    """What the environment of the processes needs that this one starts."""
    return {VARIABLE: str(os.getpid())}


class Parent:
    """Whether the process that started this one is still there, and goes on."""

    def __init__(self) -> None:
        said = os.environ.get(VARIABLE, "")
        self.pid = int(said) if said.isascii() and said.isdigit() else 0  # 0: nobody looks after this process
        self._began = self._beginning()
        self._stands_still = StoppedProcessDetector(self.pid, stands=STANDS)

    def trouble(self, moves: bool) -> str:
        """Why this process should end, in words; empty where it should not.

        To be asked often. Whatever `moves` motors ends where the parent stands still, too: nobody watches them.
        """
        if not self.pid:
            return ""
        if not self._began or self._beginning() != self._began:
            return f"process {self.pid}, which had started it, is gone"
        if moves and self._stands_still():
            return f"process {self.pid}, which had started it, is stopped and does not look after the motors"
        return ""

    def _beginning(self) -> bytes:
        """When that process began; empty where there is none."""
        words = status_of(self.pid) if self.pid else []
        return b"" if not words or words[0] in DEAD else words[BEGAN]
