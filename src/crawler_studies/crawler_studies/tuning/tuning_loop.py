"""The loop of a tuning: ask, evaluate, write down, tell. Stopped at any moment, it goes on where it was."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from crawler_core.errors import UserError
from crawler_studies.study.study_case import Point
from crawler_studies.study.study_file import Study, open_study
from crawler_studies.tuning.objective import Criterion, Stopped
from crawler_studies.tuning.optimiser.optimiser import Optimiser
from crawler_studies.tuning.optimiser.space import TuningSpace
from crawler_studies.tuning.plan import TuningPlan


@dataclass(frozen=True)
class Trial:
    """One evaluation. The value is NaN, and the reason not empty, where it is not valid."""

    point: Point
    value: float
    reason: str = ""

    @property
    def valid(self) -> bool:
        return not math.isnan(self.value)


@dataclass(frozen=True)
class TuningState:
    """How far a tuning is."""

    trials: tuple[Trial, ...]
    budget: int
    before: int  # evaluations that were there when this process began
    kind: Criterion  # of the values

    @property
    def best(self) -> Trial | None:
        """The first of the best; None where nothing was valid."""
        valid = [trial for trial in self.trials if trial.valid]
        return max(valid, key=lambda trial: self.kind.gain(trial.value)) if valid else None

    @property
    def finished(self) -> bool:
        return len(self.trials) >= self.budget


def columns(space: TuningSpace) -> dict[str, type]:
    """What the study file has of each evaluation."""
    return {**dict.fromkeys(space.names, float), "value": float, "reason": str}


def open_tuning(plan: TuningPlan, path: Path) -> Study:
    """The study of `plan` in the file `path`. Raises UserError."""
    return open_study(path, plan.identity, columns(plan.space))


def read(plan: TuningPlan, study: Study) -> TuningState:
    """What the study has so far. Raises UserError where a row is missing."""
    rows = study.finished()
    if [row[0] for row in rows] != list(range(len(rows))):
        raise UserError(f"{study.path} lacks some of its evaluations: it was changed by something else, give another.")
    count = plan.space.size
    trials = tuple(
        Trial(dict(zip(plan.space.names, row[1 : 1 + count], strict=True)), row[1 + count], row[2 + count])
        for row in rows
    )
    return TuningState(trials, plan.budget, len(trials), plan.objective.kind)


def tune(
    plan: TuningPlan,
    study: Study,
    progress: Callable[[TuningState], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> TuningState:
    """Evaluate until the budget is used up or `stopped`; returns how far it came.

    `progress` is called at the start and after each evaluation, when that is on the disk already.
    """
    standing = read(plan, study)
    optimiser = Optimiser(plan.space, plan.seed)
    for trial in standing.trials:
        optimiser.tell(trial.point, standing.kind.gain(trial.value))
    progress(standing)
    while not standing.finished and not stopped():
        point = optimiser.ask()
        try:
            trial = Trial(point, *plan.objective.value(plan.evaluator, point, stopped))
        except Stopped:
            break
        with _undisturbed():
            study.add([(len(standing.trials), *point.values(), trial.value, trial.reason)])
        optimiser.tell(point, standing.kind.gain(trial.value))
        standing = replace(standing, trials=(*standing.trials, trial))
        progress(standing)
    return standing


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits: what was evaluated is not lost on its way to the disk."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
