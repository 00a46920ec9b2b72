"""The terminal as a source of single keys, restored in any case."""

from __future__ import annotations

import os
import select
import termios
import tty
from contextlib import suppress
from types import TracebackType

from crawler_core.errors import UserError

READ_BYTES = 1024


class KeyTerminal:
    """A terminal key by key, without echo. Ctrl-C still interrupts; Ctrl-Z is a key like others."""

    def __init__(self, file: int) -> None:
        """Take the descriptor of a terminal. Raises UserError where it is none."""
        if not os.isatty(file):
            raise UserError("there is no terminal to read keys from: start it in one, or give --gamepad.")
        self._file = file
        self._before = termios.tcgetattr(self._file)

    def __enter__(self) -> KeyTerminal:
        tty.setcbreak(self._file)
        attributes = termios.tcgetattr(self._file)
        attributes[6][termios.VSUSP] = b"\0"  # a driver that is suspended could not stop the robot
        termios.tcsetattr(self._file, termios.TCSANOW, attributes)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(self._file, termios.TCSANOW, self._before)

    def read(self, timeout_s: float) -> bytes | None:
        """Return the keys that come within a time; None where the terminal has gone."""
        try:
            if not select.select([self._file], [], [], timeout_s)[0]:
                return b""
            return os.read(self._file, READ_BYTES) or None
        except OSError:
            return None
