"""Progress of a study on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any, Self

from rich.console import Console
from rich.progress import Progress, ProgressColumn


class StudyProgress:
    """Shows a display on a terminal, otherwise a line every `period_s`, the first after `delay_s`; nothing if `quiet`.

    A context manager, which prints the last line at its end.
    """

    def __init__(
        self, quiet: bool, *columns: str | ProgressColumn, period_s: float, delay_s: float = 0.0, **options: Any
    ) -> None:
        console = Console(stderr=True)
        self._display = Progress(*columns, console=console, **options) if console.is_terminal and not quiet else None
        self._quiet = quiet
        self._period_s = period_s
        self._began = time.monotonic()
        self._next = self._began + delay_s
        self._line = self._printed_line = ""

    def __enter__(self) -> Self:
        self._next += time.monotonic() - self._began
        self._began = time.monotonic()
        if self._display:
            self._display.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._display:
            self._display.stop()
        elif self._line != self._printed_line:
            self._print()

    def _show_line(self, line: str) -> None:
        self._line = line
        if not self._display and time.monotonic() >= self._next:
            self._next = time.monotonic() + self._period_s
            self._print()

    def _print(self) -> None:
        self._printed_line = self._line
        if not self._quiet:
            print(self._line, file=sys.stderr, flush=True)


def format_duration(seconds: float) -> str:
    """Format a duration as in 12 s, 3 min 5 s, 2 h 10 min, 3 d 4 h."""
    rest = round(seconds)
    for unit, smaller, size, part in (("d", "h", 86400, 3600), ("h", "min", 3600, 60), ("min", "s", 60, 1)):
        if rest >= size:
            return f"{rest // size} {unit} {rest % size // part} {smaller}"
    return f"{rest} s"
