"""A pretended serial port: a pseudo-terminal under a name of its own, which can vanish and return."""

from __future__ import annotations

import contextlib
import os
import select
import tempfile
import termios
import threading
import time
import tty
from pathlib import Path

POLL_PERIOD_S = 0.02  # s between two looks at whether an unplugged port is back


class EmulatedSerialPort:
    """The devices' end of it. `path` is a link, so that a port that returns has the same name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._directory = tempfile.TemporaryDirectory(prefix="crawler-bus-")
        self.path = str(Path(self._directory.name) / "ttyEmulated")
        self._ends: tuple[int, int] | None = None
        self._probe: tuple[int, ...] = _pair()
        self._under_way = False  # a byte of the probe's
        self.plug_in()

    def plug_in(self) -> None:
        """Be there; again is harmless."""
        with self._lock:
            if self._ends is not None:
                return
            self._ends = _pair()  # the driver's stays open here: else the port would hang up when it lets go of it
            os.symlink(os.ttyname(self._ends[1]), self.path)

    def unplug(self) -> None:
        """Hang up, and be gone."""
        with self._lock:
            if self._ends is not None:
                os.unlink(self.path)
                for end in self._ends:
                    os.close(end)
                self._ends = None

    def read(self, seconds: float) -> bytes:
        """What the driver has sent, waiting so long for it; nothing from a port that is not there."""
        ends = self._ends
        if ends is None:
            time.sleep(min(seconds, POLL_PERIOD_S))
            return b""
        try:
            if not select.select([ends[0]], [], [], seconds)[0]:
                return b""
            with self._lock:
                return os.read(ends[0], 4096) if self._ends is ends else b""
        except (OSError, ValueError):
            return b""  # unplugged meanwhile

    def write(self, data: bytes) -> None:
        """Send to the driver; what nobody takes is lost."""
        with self._lock, contextlib.suppress(OSError):
            if data and self._ends is not None:
                os.write(self._ends[0], data)

    def late(self) -> bool:
        """Whether the kernel is behind with carrying bytes: what the driver has sent may not be here yet.

        A worker of its own does that for all pseudo-terminals, which has been 1.6 s late on a busy machine while all
        else went on. One thread may ask.
        """
        ours, theirs = self._probe
        try:
            if self._under_way:
                os.read(ours, 1)
            self._under_way = os.write(theirs, b"?") > 0
        except BlockingIOError:
            return True
        return False

    def speaks(self, baud: int) -> bool:
        """Whether the driver has set this rate; one that no terminal has a constant for is not told apart."""
        constant = getattr(termios, f"B{baud}", None)
        with self._lock:
            return constant is None or self._ends is None or termios.tcgetattr(self._ends[1])[5] == constant

    def close(self) -> None:
        """Remove it. May be called twice."""
        self.unplug()
        probe, self._probe = self._probe, ()
        for end in probe:
            os.close(end)
        self._directory.cleanup()


def _pair() -> tuple[int, int]:
    """A pseudo-terminal: the devices' end, and the driver's."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    os.set_blocking(ours, False)
    return ours, theirs
