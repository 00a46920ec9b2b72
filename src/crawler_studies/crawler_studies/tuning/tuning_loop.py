"""The loop of a tuning: ask, evaluate, store, tell. Stopped at any moment, it continues from its study."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from crawler_core.errors import UserError
from crawler_studies.evaluators.evaluator import EvaluationStopped
from crawler_studies.study.study_case import Point
from crawler_studies.study.study_file import StudyFile, open_study
from crawler_studies.tuning.objective import Criterion
from crawler_studies.tuning.optimiser.optimiser import Optimiser
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
    """The evaluations of a tuning so far."""

    trials: tuple[Trial, ...]
    budget: int
    before: int  # number of evaluations when this process began
    criterion: Criterion  # of the values

    @property
    def best(self) -> Trial | None:
        """The first of the best trials; None where none was valid."""
        valid = [trial for trial in self.trials if trial.valid]
        return max(valid, key=lambda trial: self.criterion.gain(trial.value)) if valid else None

    @property
    def finished(self) -> bool:
        return len(self.trials) >= self.budget


def open_tuning(plan: TuningPlan, path: Path) -> StudyFile:
    """Open the study of `plan` in the file `path`. Raises UserError."""
    columns = {**dict.fromkeys(plan.space.names, float), "value": float, "reason": str}
    return open_study(path, plan.identity, columns)


def read_tuning(plan: TuningPlan, study: StudyFile) -> TuningState:
    """Read the evaluations in the study. Raises UserError where a row is missing."""
    rows = study.finished()
    if [row[0] for row in rows] != list(range(len(rows))):
        raise UserError(
            f"{study.path} cannot be continued: it lacks some of its evaluations, another program changed it. Give "
            "another file."
        )
    count = plan.space.size
    trials = tuple(
        Trial(dict(zip(plan.space.names, row[1 : 1 + count], strict=True)), row[1 + count], row[2 + count])
        for row in rows
    )
    return TuningState(trials, plan.budget, len(trials), plan.objective.criterion)


def tune(
    plan: TuningPlan,
    study: StudyFile,
    progress: Callable[[TuningState], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> TuningState:
    """Evaluate until the budget is used up or `stopped`; return the state then.

    `progress` is called at the start, and after each evaluation once it is on the disk.
    """
    state = read_tuning(plan, study)
    optimiser = Optimiser(plan.space, plan.seed)
    for trial in state.trials:
        optimiser.tell(trial.point, state.criterion.gain(trial.value))
    progress(state)
    while not state.finished and not stopped():
        point = optimiser.ask()
        try:
            trial = Trial(point, *plan.objective.value(plan.evaluator, point, stopped))
        except EvaluationStopped:
            break
        with _interrupts_blocked():
            study.add([(len(state.trials), *point.values(), trial.value, trial.reason)])
        optimiser.tell(point, state.criterion.gain(trial.value))
        state = replace(state, trials=(*state.trials, trial))
        progress(state)
    return state


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Hold Ctrl-C back, so that an evaluation is not lost on its way to the disk."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
