"""Progress of a tuning on standard error."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

from rich.progress import TextColumn
from rich.table import Column

from crawler_studies.study.study_progress import StudyProgress, format_duration
from crawler_studies.tuning.objective import Criterion

if TYPE_CHECKING:
    from crawler_studies.tuning.tuning_loop import Trial, TuningState

LINE_PERIOD_S = 1.0


class TuningProgress(StudyProgress):
    """Shows the state of a tuning, and what it waits for."""

    def __init__(self, quiet: bool) -> None:
        column = TextColumn("{task.description}", markup=False, table_column=Column())  # which wraps a long line
        super().__init__(quiet, column, period_s=LINE_PERIOD_S)
        self._note = ""
        self._task = self._display.add_task("") if self._display else None

    def __call__(self, state: TuningState) -> None:
        self._show_line(self._describe(state))
        self._update_display()

    def notify(self, note: str) -> None:
        """Show what is waited for; '' when that is over."""
        self._note = note
        if self._display:
            self._update_display()
        else:
            text = note or "the robot moves again; the evaluation is repeated."
            print(f"crawler: {text}", file=sys.stderr, flush=True)

    def _update_display(self) -> None:
        if self._display and self._task is not None:
            self._display.update(self._task, description=f"{self._line}\n{self._note}".rstrip())

    def _describe(self, state: TuningState) -> str:
        done, best = len(state.trials), state.best
        parts = [f"{done} of {state.budget}"]
        if done:
            parts.append(_describe_trial(state.trials[-1], state.criterion))
        if best:
            place = ", ".join(f"{name} = {value:g}" for name, value in best.point.items())
            parts.append(f"best {format_value(best.value, state.criterion)} at {place}")
        if (new := done - state.before) > 0 and not state.finished:
            seconds_left = (state.budget - done) * (time.monotonic() - self._began) / new
            parts.append(f"{format_duration(seconds_left)} left")
        return "; ".join(parts)


def _describe_trial(trial: Trial, criterion: Criterion) -> str:
    return format_value(trial.value, criterion) if trial.valid else f"not valid: {trial.reason.rstrip('.')}"


def format_value(value: float, criterion: Criterion) -> str:
    return "none" if math.isnan(value) else criterion.text(value)
