"""`crawler tune --over gait.shape`: the search for a shape of the gait fourier."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path

from crawler_cli.commands.arguments import settings_of
from crawler_cli.commands.interruption import AskedToEnd
from crawler_cli.commands.model import finite
from crawler_core.errors import UserError

EVERY = 5.0  # s between lines


def run(arguments: argparse.Namespace, words: list[str]) -> int:
    """Search, save, report."""
    from crawler_studies.robustness import check_spread
    from crawler_studies.subject import Subject
    from crawler_studies.tuning.plan import labelled_path
    from crawler_studies.tuning.shape_search import BUDGET, GAIT, ShapeSearch
    from gait_generators.shape_file import write_shape

    _refuse(arguments, words, GAIT)
    check_spread(arguments.spread)
    subject = Subject(arguments.robot, GAIT, settings_of(arguments))
    budget = BUDGET if arguments.budget is None else arguments.budget
    search = ShapeSearch.of(subject, arguments.spread, budget, arguments.seed)
    names = [subject.spec.name, GAIT, f"omega-{search.omega:g}"]
    path = Path(arguments.study) if arguments.study else labelled_path(names, search.identity)
    file = Path(arguments.save) if arguments.save else path.with_suffix(".yaml")
    if not file.parent.is_dir():
        raise UserError(f"{file} cannot be written: there is no directory {file.parent}.")
    asked = AskedToEnd(at_once=False)
    with search.open(path) as study:
        before = sum(row[1] for row in study.finished())
        if not arguments.json:
            print(f"{', '.join(names)}: {budget} gaits, {before} judged before; study: {path}", file=sys.stderr)
        best = search.run(study, _Lines(budget, arguments.json), asked)
        done = sum(row[1] for row in study.finished())
    if done < budget:
        print(
            f"crawler: interrupted after {done} of {budget} gaits, in whole parts; they are in {path}, and the same "
            "command goes on there.",
            file=sys.stderr,
        )
        return 130
    assert best is not None
    assert best.predicted is not None
    write_shape(file, best)
    result = {
        "robot": subject.spec.name,
        "gait": GAIT,
        "objective": "worst_step",
        "unit": "m",
        "budget": budget,
        "evaluations": done,
        "best_value": 1e-3 * best.predicted.worst_step,
        "nominal_step_m": 1e-3 * best.predicted.nominal_step,
        "command": f"./crawler run --gait {GAIT} --set gait.omega={search.omega:g} --set gait.shape={file}",
        "shape": str(file),
        "study": str(path),
    }
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        print(f"worst step: {best.predicted.worst_step:.3f} mm, without spread {best.predicted.nominal_step:.3f} mm")
        print(f"crawl: {result['command']}\nshape: {file}\nstudy: {path}")
    return 0


def _refuse(arguments: argparse.Namespace, words: list[str], gait: str) -> None:
    if len(words) > 1:
        raise UserError("gait.shape is searched for by itself: leave the other parameters of --over out.")
    if arguments.gait not in ("", gait):
        raise UserError(f"the gait '{arguments.gait}' has no shapes: give --gait {gait}.")
    if arguments.maximise not in (None, "worst_step"):
        raise UserError(f"a shape is searched for with the longest worst_step, not {arguments.maximise}.")
    if arguments.backend != "model":
        raise UserError(f"a shape is searched for on the equations, not on {arguments.backend}: leave --backend out.")
    if arguments.friction_set != "asymmetric":
        raise UserError("a shape is searched for over every friction within the spread: leave --friction-set out.")


class _Lines:
    """A line now and then."""

    def __init__(self, budget: int, quiet: bool) -> None:
        self._budget = budget
        self._quiet = quiet
        self._next = 0.0

    def __call__(self, gaits: int, worst_step: float) -> None:
        if self._quiet or (time.monotonic() < self._next and gaits < self._budget):
            return
        self._next = time.monotonic() + EVERY
        best = "none yet" if math.isnan(worst_step) else f"{1e3 * worst_step:.3f} mm"
        print(f"{gaits} of {self._budget} gaits; best worst step {best}", file=sys.stderr, flush=True)
