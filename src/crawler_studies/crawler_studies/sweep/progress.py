"""Progress of a sweep on standard error."""

from __future__ import annotations

import time

from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from crawler_studies.study.study_progress import StudyProgress, format_duration

LINE_PERIOD_S = 2.0
RATE_WINDOW_S = 300.0  # of a terminal's rate


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text("" if not task.speed else f"{task.speed:.3g} points/s")


class SweepProgress(StudyProgress):
    """Counts the finished points of a sweep."""

    def __init__(self, total: int, before: int, quiet: bool) -> None:
        """`before` of `total` points were finished by an earlier run."""
        columns = (
            TextColumn("points"),
            BarColumn(),
            MofNCompleteColumn(),
            _RateColumn(),
            TimeRemainingColumn(),
            "left",
        )
        super().__init__(
            quiet, *columns, period_s=LINE_PERIOD_S, delay_s=LINE_PERIOD_S, speed_estimate_period=RATE_WINDOW_S
        )
        self._total = total
        self._before = before
        self._done = 0
        self._task = self._display.add_task("points", total=total, completed=before) if self._display else None

    @property
    def rate(self) -> float:
        """Points per second since the start."""
        return self._done / max(time.monotonic() - self._began, 1e-9)

    def __call__(self, points: int) -> None:
        """Count `points` more."""
        self._done += points
        if self._display and self._task is not None:
            self._display.advance(self._task, points)
        finished = self._before + self._done
        # the first point may have waited for a compiler or an engine: its time says nothing about the others
        seconds_left = (self._total - finished) / self.rate
        pace = f", {self.rate:.3g} points/s, {format_duration(seconds_left)} left" if self._done > 1 else ""
        self._show_line(f"{finished} of {self._total} points{pace}")
