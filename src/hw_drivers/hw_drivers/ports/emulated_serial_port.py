"""An emulated serial port: a pseudo-terminal that can vanish and return under the same name."""

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

POLL_PERIOD_S = 0.02  # of an unplugged port


class EmulatedSerialPort:
    """The devices' end of it. `path` is a link, so that its name survives unplugging."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._directory = tempfile.TemporaryDirectory(prefix="crawler-bus-")
        self.path = str(Path(self._directory.name) / "ttyEmulated")
        self._ends: tuple[int, int] | None = None
        self._probe: tuple[int, ...] = _pair()
        self._probe_byte_is_under_way = False
        self.plug_in()

    def plug_in(self) -> None:
        """Make the port appear; again is harmless."""
        with self._lock:
            if self._ends is not None:
                return
            self._ends = _pair()  # the driver's end stays open here: otherwise its close would hang up the port
            os.symlink(os.ttyname(self._ends[1]), self.path)

    def unplug(self) -> None:
        """Hang up and make the port vanish."""
        with self._lock:
            if self._ends is not None:
                os.unlink(self.path)
                for end in self._ends:
                    os.close(end)
                self._ends = None

    def read(self, seconds: float) -> bytes:
        """Return the driver's bytes, waiting up to `seconds`; none from an unplugged port."""
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
        """Send to the driver; bytes that do not fit are lost."""
        with self._lock, contextlib.suppress(OSError):
            if data and self._ends is not None:
                os.write(self._ends[0], data)

    def is_behind(self) -> bool:
        """Return True while the kernel is late with carrying bytes: those of the driver may not be here yet.

        One kernel worker carries the bytes of all pseudo-terminals. On a busy machine it was 1.6 s late while all else
        went on. Call this from one thread.
        """
        ours, theirs = self._probe
        try:
            if self._probe_byte_is_under_way:
                os.read(ours, 1)
            self._probe_byte_is_under_way = os.write(theirs, b"?") > 0
        except BlockingIOError:
            return True
        return False

    def has_baud(self, baud: int) -> bool:
        """Return True if the driver has set this rate. A rate that terminals have no constant for always matches."""
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
    """Open a pseudo-terminal; return the devices' end and the driver's."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    os.set_blocking(ours, False)
    return ours, theirs
