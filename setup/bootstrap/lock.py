"""One set-up at a time, and nothing left running of one that was killed."""

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
    """Waits until no other set-up of this checkout runs. The lock goes with the process, however that ends."""
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
    """Ends what a killed set-up of this checkout left running (pip, compilers), so that nobody else writes there."""
    mark = f"{MARK}={root}".encode()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/environ", "rb") as environ:
                if mark in environ.read().split(b"\0"):
                    os.kill(int(entry), signal.SIGKILL)
