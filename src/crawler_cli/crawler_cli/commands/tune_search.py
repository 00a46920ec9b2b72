"""Tune a parameter for which a robot's model brings a search of its own: `crawler tune --over NAME`."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from pathlib import Path

from crawler_cli.console.arguments import read_all_settings
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import print_json
from crawler_cli.console.progress_line import ProgressLine
from crawler_core.errors import UserError
from crawler_studies.study.study_file import default_study_path
from crawler_studies.tuning.parameter_search import ParameterSearch, ParameterSearchPlan, ParameterSearchRequest
from crawler_studies.tuning.report import run_command


def run_search(arguments: argparse.Namespace, search: ParameterSearch, name: str, words: list[str]) -> int:
    """Search, write the parameter file, report."""
    if words != [name]:
        raise UserError(f"{name} is searched for by itself, without a range: leave the rest of --over out.")
    if arguments.minimise or arguments.controller:
        raise UserError(f"--minimise and --controller mean nothing to the search for {name}: leave them out.")
    plan = search(
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
    path, file = _paths(arguments.out, plan)
    is_stopped = StopRequest(raises=False)
    line = ProgressLine(arguments.json, period_s=5.0)
    objective = plan.objective.replace("_", " ")

    def progress(gaits: int, value: float) -> None:
        best = "none yet" if math.isnan(value) else f"{1e3 * value:.3f} mm"
        line(f"{gaits} of {plan.budget} gaits; best {objective} {best}")

    with plan.open(path) as study:
        if not arguments.json:
            before = f"{plan.count_evaluated(study)} evaluated before"
            print(f"{', '.join(plan.label)}: {plan.budget} gaits, {before}; study: {path}", file=sys.stderr)
        found = plan.run(study, progress, is_stopped)
        done = plan.count_evaluated(study)
    if done < plan.budget:
        print(
            f"crawler: interrupted after {done} of {plan.budget} gaits, in whole parts; they are in {path}, and the "
            "same command goes on there.",
            file=sys.stderr,
        )
        return EXIT_INTERRUPTED
    assert found is not None
    found.write(file)
    settings = {**found.settings, name: file}
    words = [shlex.quote(f"{key}={f'{v:g}' if isinstance(v, float) else v}") for key, v in settings.items()]
    result = {
        "robot": plan.case.spec.name,
        "gait": plan.case.gait_name,
        "objective": plan.objective,
        "unit": "m",
        "budget": plan.budget,
        "evaluations": done,
        "best_value": found.value,
        **found.numbers,
        "command": run_command(plan.case, "", words),
        "file": str(file),
        "study": str(path),
    }
    if arguments.json:
        print_json(result)
    else:
        print(f"{found.text}\ncrawl: {result['command']}\nfile: {file}\nstudy: {path}")
    return 0


def _paths(out: str, plan: ParameterSearchPlan) -> tuple[Path, Path]:
    """Return the files of the study and of the parameters; --out names one of them by its suffix."""
    study = default_study_path(plan.label, plan.identity, ".sqlite")
    if out and not out.endswith((".yaml", ".yml")):
        study = Path(out)
    file = Path(out or study)
    file = file if file.suffix == ".yml" else file.with_suffix(".yaml")
    if not file.parent.is_dir():
        raise UserError(f"{file} cannot be written: there is no directory {file.parent}.")
    return study, file
