"""A sweep, planned and checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_studies.evaluators.evaluator import Evaluator
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.study.study_case import StudyCase, check_sections, extra_columns, study_sections
from crawler_studies.study.study_file import default_study_path
from crawler_studies.study.study_identity import study_identity
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.table import SUFFIXES
from crawler_studies.sweep.variable import parse_variables
from sim_bridge.physics.engines import ENGINES

BACKENDS = ("model", *ENGINES)


@dataclass(frozen=True)
class SweepFiles:
    """The files of a sweep."""

    table: Path
    picture: Path
    study: Path  # every finished evaluation, from which an interrupted sweep continues


@dataclass(frozen=True)
class SweepPlan:
    """A sweep whose inputs are checked."""

    case: StudyCase
    evaluator: Evaluator
    grid: Grid
    identity: Mapping[str, Any]  # all that the evaluations depend on

    @property
    def extra_columns(self) -> dict[str, type]:
        return extra_columns(self.case.spec)


def make_plan(
    robot: str, gait: str, backend: str, settings: Mapping[str, Mapping[str, Any]], vary: Sequence[str], law: str = ""
) -> SweepPlan:
    """Plan a sweep; without a `law` with the robot's own. Raises UserError."""
    if backend not in BACKENDS:
        raise unknown_name("backend for sweeps", backend, BACKENDS)
    check_sections(settings, backend, "a sweep")
    case = StudyCase(robot, gait, study_sections(settings), law)
    case.check_settings()
    grid = Grid(parse_variables(case, vary))
    backend_identity: dict[str, Any] = {}
    evaluator: Evaluator
    if backend in ENGINES:
        evaluator = physics = PhysicsEvaluator.of(case, settings.get("backend") or {}, backend)
        backend_identity = physics.identity
    else:
        evaluator = ModelEvaluator(case)
    identity = {
        "study": "sweep",
        **study_identity(case, grid.names),
        "backend.name": backend,
        "backend": backend_identity,
        "variables": {variable.name: list(variable.values) for variable in grid.variables},
    }
    return SweepPlan(case, evaluator, grid, identity)


def make_files(plan: SweepPlan, out: str) -> SweepFiles:
    """Return the files of a sweep whose table is `out`, or else the default ones in studies/.

    Raises UserError where they cannot be written, or would replace something else.
    """
    if out:
        table = Path(out)
        if table.suffix not in SUFFIXES:
            raise UserError(f"--out {out} is not allowed: its suffix says the format, {' or '.join(SUFFIXES)}.")
        if not table.parent.is_dir():
            raise UserError(f"--out {out} cannot be written: there is no directory {table.parent}.")
    else:
        names = [name.replace(".", "-") for name in plan.grid.names[:3]]
        parts = [plan.case.spec.name, plan.case.gait_name, plan.evaluator.backend, *names]
        table = default_study_path(parts, plan.identity, ".parquet")
    files = SweepFiles(table, table.with_suffix(".png"), table.with_suffix(".sqlite"))
    if not os.access(table.parent, os.W_OK | os.X_OK):
        raise UserError(f"{table} cannot be written: {table.parent} is write-protected.")
    for file in (files.table, files.picture):
        if file.is_dir() or (file.exists() and not os.access(file, os.W_OK)):
            raise UserError(f"{file} cannot be written: it is a directory or write-protected.")
        if file.exists() and not files.study.exists():
            raise UserError(f"{file} exists already, and not from a sweep ({files.study} is not there): give another.")
    return files
