"""How far a sweep is: a bar on a terminal, otherwise a line every two seconds, on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

EVERY = 2.0  # s between plain lines
MEMORY = 300.0  # s over which a terminal's rate is taken


class SweepProgress:
    """Counts finished points. Silent where it is told to be quiet."""

    def __init__(self, total: int, before: int, quiet: bool) -> None:
        """`before` of `total` points were finished by an earlier run."""
        self._total = total
        self._before = before
        self._done = 0
        self._said = 0  # when the latest line was printed
        self._quiet = quiet
        console = Console(stderr=True)
        self._bar = _bar(console) if console.is_terminal and not quiet else None

    def __enter__(self) -> SweepProgress:
        self._began = time.monotonic()
        self._next = self._began + EVERY
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task("points", total=self._total, completed=self._before)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()
        elif self._done > self._said and not self._quiet:
            self._line(time.monotonic())

    @property
    def rate(self) -> float:
        """Points per second since the start."""
        return self._done / max(time.monotonic() - self._began, 1e-9)

    def __call__(self, points: int) -> None:
        """So many more are finished."""
        self._done += points
        now = time.monotonic()
        if self._bar:
            self._bar.advance(self._task, points)
        elif not self._quiet and now >= self._next:
            self._next = now + EVERY
            self._line(now)

    def _line(self, now: float) -> None:
        self._said = self._done
        finished = self._before + self._done
        left = (self._total - finished) / self.rate
        # the first one may have waited for a compiler or an engine, and says nothing of the others
        pace = f", {self.rate:.3g} points/s, {duration(left)} left" if self._done > 1 else ""
        print(f"{finished} of {self._total} points{pace}", file=sys.stderr, flush=True)


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text("" if not task.speed else f"{task.speed:.3g} points/s")


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        speed_estimate_period=MEMORY,
    )


def duration(seconds: float) -> str:
    """For a person: 12 s, 3 min 5 s, 2 h 10 min, 3 d 4 h."""
    rest = round(seconds)
    for unit, below, size, part in (("d", "h", 86400, 3600), ("h", "min", 3600, 60), ("min", "s", 60, 1)):
        if rest >= size:
            return f"{rest // size} {unit} {rest % size // part} {below}"
    return f"{rest} s"
