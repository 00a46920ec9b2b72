"""`crawler tune --over NAME` where the robot's model brings a search of its own for NAME."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
import time
from pathlib import Path

from crawler_cli.console.arguments import read_all_settings
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_core.errors import UserError
from crawler_studies.study.study_paths import default_study_path
from crawler_studies.tuning.parameter_search import ParameterSearch, ParameterSearchRequest
from crawler_studies.tuning.report import run_command

EVERY = 5.0  # s between lines


def run(arguments: argparse.Namespace, search: ParameterSearch, name: str, words: list[str]) -> int:
    """Search, save, report."""
    if words != [name]:
        raise UserError(f"{name} is searched for by itself, without a range: leave the rest of --over out.")
    if arguments.minimise or arguments.controller:
        raise UserError(f"--minimise and --controller mean nothing to the search for {name}: leave them out.")
    plan = search.plan(
        ParameterSearchRequest(
            robot=arguments.robot,
            gait=arguments.gait,
            settings=read_all_settings(arguments),
            maximise=arguments.maximise,
            backend=arguments.backend,
            friction_set=arguments.friction_set,
            spread=arguments.spread,
            budget=arguments.budget,
            seed=arguments.seed,
        )
    )
    path = default_study_path(plan.label, plan.identity, ".sqlite")
    if arguments.out and not arguments.out.endswith((".yaml", ".yml")):
        path = Path(arguments.out)
    file = Path(arguments.out or path).with_suffix(".yaml")
    if not file.parent.is_dir():
        raise UserError(f"{file} cannot be written: there is no directory {file.parent}.")
    asked = StopRequest(raises=False)
    with plan.open(path) as study:
        if not arguments.json:
            before = f"{plan.judged(study)} judged before"
            print(f"{', '.join(plan.label)}: {plan.budget} gaits, {before}; study: {path}", file=sys.stderr)
        answer = plan.run(study, _Lines(plan.budget, plan.objective, arguments.json), asked)
        done = plan.judged(study)
    if done < plan.budget:
        print(
            f"crawler: interrupted after {done} of {plan.budget} gaits, in whole parts; they are in {path}, and the "
            "same command goes on there.",
            file=sys.stderr,
        )
        return 130
    assert answer is not None
    answer.write(file)
    settings = {**answer.settings, name: file}
    sets = [shlex.quote(f"{key}={f'{v:g}' if isinstance(v, float) else v}") for key, v in settings.items()]
    result = {
        "robot": plan.case.spec.name,
        "gait": plan.case.gait_name,
        "objective": plan.objective,
        "unit": "m",
        "budget": plan.budget,
        "evaluations": done,
        "best_value": answer.value,
        **answer.numbers,
        "command": run_command(plan.case, "", sets),
        "file": str(file),
        "study": str(path),
    }
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        print(f"{answer.text}\ncrawl: {result['command']}\nfile: {file}\nstudy: {path}")
    return 0


class _Lines:
    """A line now and then."""

    def __init__(self, budget: int, objective: str, quiet: bool) -> None:
        self._budget = budget
        self._objective = objective.replace("_", " ")
        self._quiet = quiet
        self._next = 0.0

    def __call__(self, gaits: int, value: float) -> None:
        if self._quiet or (time.monotonic() < self._next and gaits < self._budget):
            return
        self._next = time.monotonic() + EVERY
        best = "none yet" if math.isnan(value) else f"{1e3 * value:.3f} mm"
        print(f"{gaits} of {self._budget} gaits; best {self._objective} {best}", file=sys.stderr, flush=True)
