"""Processes that compute without end, to keep a machine busy."""

from __future__ import annotations

import os
import subprocess
import sys

BUSY_LOOP = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""  # each checks some times a second that its parent still exists


class BusyLoops:
    """So many processes, until the context ends or its process dies."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> BusyLoops:
        for _ in range(self._count):
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", BUSY_LOOP, str(os.getpid())],
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C reaches their parent only
                )
            )
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
