"""How far a tuning is: a line that is rewritten on a terminal, otherwise one every second."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

from crawler_studies.sweep.progress import duration
from crawler_studies.tuning.objective import Criterion

if TYPE_CHECKING:
    from crawler_studies.tuning.tuning_loop import Trial, TuningState

EVERY = 1.0  # s between plain lines


class TuningProgress:
    """Shows the standing of a tuning on standard error. Silent where it is told to be quiet."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        console = Console(stderr=True)
        self._live = Live(console=console, refresh_per_second=8) if console.is_terminal and not quiet else None
        self._standing: TuningState | None = None
        self._note = ""
        self._said = -1
        self._next = 0.0

    def __enter__(self) -> TuningProgress:
        self._began = time.monotonic()
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live:
            self._live.stop()
        elif not self._quiet and self._standing and self._said != len(self._standing.trials):
            self._line(self._standing)

    def __call__(self, standing: TuningState) -> None:
        """The tuning is so far."""
        self._standing = standing
        if self._live:
            self._show()
        elif not self._quiet and time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._line(standing)

    def say(self, note: str) -> None:
        """What is being waited for; '' when that is over."""
        self._note = note
        if self._live:
            self._show()
        else:
            print(
                f"crawler: {note or 'the robot moves again; the evaluation is repeated.'}", file=sys.stderr, flush=True
            )

    def _show(self) -> None:
        assert self._live is not None
        text = self._text(self._standing) if self._standing else ""
        self._live.update(Text(f"{text}\n{self._note}" if self._note else text))

    def _line(self, standing: TuningState) -> None:
        self._said = len(standing.trials)
        print(self._text(standing), file=sys.stderr, flush=True)

    def _text(self, standing: TuningState) -> str:
        done, best = len(standing.trials), standing.best
        parts = [f"{done} of {standing.budget}"]
        if done:
            parts.append(_text_of(standing.trials[-1], standing.kind))
        if best:
            at = ", ".join(f"{name} = {value:g}" for name, value in best.point.items())
            parts.append(f"best {shown(best.value, standing.kind)} at {at}")
        if (new := done - standing.before) > 0 and not standing.finished:
            left = (standing.budget - done) * (time.monotonic() - self._began) / new
            parts.append(f"{duration(left)} left")
        return "; ".join(parts)


def _text_of(trial: Trial, kind: Criterion) -> str:
    return shown(trial.value, kind) if trial.valid else f"not valid: {trial.reason.rstrip('.')}"


def shown(value: float, kind: Criterion) -> str:
    """A value for a person."""
    return "none" if math.isnan(value) else kind.text(value)
