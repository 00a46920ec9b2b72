"""Allow one set-up at a time, and end the processes of a killed one."""

import contextlib
import fcntl
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from bootstrap import progress

MARK = "CRAWLER_SETUP_OF"  # environment variable of every process that a set-up starts


@contextlib.contextmanager
def only_one(root: Path) -> Iterator[None]:
    """Wait until no other set-up of this checkout runs. The lock ends with the process."""
    folder = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say("Another ./crawler is setting this checkout up. Waiting for it to finish.")
            fcntl.flock(folder, fcntl.LOCK_EX)
        kill_leftovers(root)
        yield
    finally:
        os.close(folder)


def kill_leftovers(root: Path) -> None:
    """End the processes (pip, compilers) of a killed set-up of this checkout, which would still write there."""
    mark = f"{MARK}={root}".encode()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/environ", "rb") as environ:
                if mark in environ.read().split(b"\0"):
                    os.kill(int(entry), signal.SIGKILL)
