"""Map step length, speed and contacts over any parameters of robot, gait and law."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.settings import parse_assignments
from crawler_cli.console.arguments import (
    add_gait_and_law,
    add_json,
    add_robot,
    add_settings,
    integer,
    read_all_settings,
)
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import print_json, print_lines
from crawler_core.errors import UserError

if TYPE_CHECKING:
    from crawler_studies.sweep.plan import SweepFiles, SweepPlan
    from crawler_studies.sweep.runner import Source

HELP_TEXT = """
  makes   a table (.parquet or .csv), a picture (.png) and the study (.sqlite) with every point
  where   studies/, or --out FILE for the table with the others beside it
  time    by the equations from 1 ms to 0.4 s a point, by robot; in physics some seconds a point

Any numeric parameter of robot, gait and law can vary: name=low:high:count, the same with :log for equal factors, or
name=value,value,... Values are in the units of docs/parameters.md. An interrupted sweep continues when the same
command is given again.

examples:
  crawler sweep --vary gait.omega=0.3:20:100 --vary gait.psi=0:180:100
  crawler sweep --vary gait.omega=0.3:20:200:log --out speed.csv
  crawler sweep --vary robot.friction_scale_1=0.8,1,1.2 --vary gait.psi=0:180:50
  crawler sweep --backend pybullet --vary gait.omega=1:16:31 --workers 2
  crawler sweep --backend pybullet --vary gait.omega=1:16:310 --scheduler tcp://127.0.0.1:8786

exit codes: 0 done, 1 done but no point is valid, 2 bad input, or a cluster that is not there or lost, 130 interrupted

keys of --json: robot, gait, backend, settings, variables (name to list of values), points, valid, evaluated (by this
call), finished_before (by earlier ones), points_per_s, fastest (the point with the largest speed either way, with its
results; null if none is valid), table, picture, drawn (the content of the picture), study
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUES", help="a variable and its values; repeatable"
    )
    add_gait_and_law(parser)
    parser.add_argument(
        "--backend", default="model", help="the evaluator: model, pybullet or mujoco (default: %(default)s)"
    )
    parser.add_argument("--out", default="", metavar="FILE", help="the table, .parquet or .csv (default: studies/...)")
    parser.add_argument(
        "--workers", type=integer, metavar="N", help="worker processes (default in physics: one per core)"
    )
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="evaluate on the Dask cluster there")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the input, evaluate the missing points, write table and picture."""
    from crawler_studies.study.study_file import open_study
    from crawler_studies.sweep.plan import make_files, make_plan
    from crawler_studies.sweep.table import sweep_columns

    is_stopped = StopRequest(raises=True)
    settings = read_all_settings(arguments)
    _check_contradictions(arguments)
    plan = make_plan(arguments.robot, arguments.gait, arguments.backend, settings, arguments.vary, arguments.controller)
    with ExitStack() as stack:
        cluster = stack.enter_context(_given_cluster(arguments, plan)) if arguments.scheduler else None
        files = make_files(plan, arguments.out)
        study = stack.enter_context(
            open_study(files.study, plan.identity, sweep_columns(plan.grid, plan.extra_columns))
        )
        before = len(study.numbers())
        if not arguments.json:
            _announce(plan, files, before)
        try:
            with nullcontext(cluster) if cluster else _local_workers(arguments, plan.grid.size - before) as source:
                counts = _evaluate(plan, study, source, before, is_stopped, arguments.json)
            result = _write(plan, files, study.finished())
        except KeyboardInterrupt:
            print(
                f"crawler: interrupted with {len(study.numbers())} of {plan.grid.size} points finished; they are in "
                f"{files.study}, and the same command goes on there.",
                file=sys.stderr,
            )
            return EXIT_INTERRUPTED
    result |= counts
    if arguments.json:
        print_json(result)
    else:
        _print(result)
    return 0 if result["valid"] else EXIT_NOT_DONE


def _check_contradictions(arguments: argparse.Namespace) -> None:
    assigned = {f"{section}.{name}" for section, own in parse_assignments(arguments.set).items() for name in own}
    for word in arguments.vary:
        if (name := word.partition("=")[0]) in assigned:
            raise UserError(f"--vary {name} contradicts --set {name}: give one of them.")
    if arguments.workers is not None and arguments.workers < 1:
        raise UserError(f"--workers {arguments.workers} is not allowed: give 1 or more.")
    if arguments.workers is not None and arguments.scheduler:
        raise UserError("--workers contradicts --scheduler, whose cluster has its own: give one of them.")


def _given_cluster(arguments: argparse.Namespace, plan: SweepPlan) -> AbstractContextManager[Source]:
    """Return the cluster of --scheduler."""
    from crawler_studies.sweep.cluster import running_cluster

    return running_cluster(arguments.scheduler, plan.case)


def _local_workers(arguments: argparse.Namespace, missing: int) -> AbstractContextManager[Source]:
    """Return what evaluates `missing` points here: this process if it is fast enough, otherwise worker processes."""
    from crawler_studies.sweep.runner import in_process

    if not missing or (arguments.backend == "model" and arguments.workers is None):
        return nullcontext(in_process)
    from crawler_studies.sweep.cluster import local_cluster

    workers = arguments.workers or len(os.sched_getaffinity(0))
    return local_cluster(min(workers, missing))


def _evaluate(
    plan: SweepPlan, study: Any, source: Source, before: int, is_stopped: StopRequest, quiet: bool
) -> dict[str, Any]:
    """Evaluate what the study lacks. Return the counts for --json. Raises KeyboardInterrupt."""
    from crawler_studies.sweep.progress import SweepProgress
    from crawler_studies.sweep.runner import sweep

    with SweepProgress(plan.grid.size, before, quiet) as progress:

        def on_finished(count: int) -> None:
            progress(count)
            is_stopped.check()  # the exception of the signal may have been lost, such as in a destructor

        evaluated = sweep(source, plan.evaluator, plan.grid, study, on_finished, plan.extra_columns)
        rate = progress.rate if evaluated else None
    return {"evaluated": evaluated, "finished_before": before, "points_per_s": rate}


def _announce(plan: SweepPlan, files: SweepFiles, before: int) -> None:
    spans = ", ".join(f"{v.name} {v.values[0]:g} to {v.values[-1]:g} in {len(v.values)}" for v in plan.grid.variables)
    resumed = f", {before} of them finished before" if before else ""
    print(
        f"{plan.case.spec.name}, gait {plan.case.gait_name}, {plan.evaluator.backend}: "
        f"{plan.grid.size} points{resumed} ({spans}); study: {files.study}",
        file=sys.stderr,
        flush=True,
    )


def _write(plan: SweepPlan, files: SweepFiles, rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Write table and picture of a finished sweep. Return the keys of --json."""
    import numpy as np

    from crawler_studies.sweep.plot import describe_plot, draw
    from crawler_studies.sweep.table import make_table, sweep_columns, write_table

    grid, spec = plan.grid, plan.case.spec
    table = make_table(grid, rows, plan.identity, plan.extra_columns)
    write_table(table, files.table)
    step, speed = (table[name].to_numpy().reshape(grid.shape) for name in ("step_length_m", "speed_m_s"))
    is_drawn = len(grid.variables) <= 3
    if is_drawn:
        title = f"{spec.title}: {plan.case.gait_name} gait, {plan.evaluator.backend}"
        draw(grid, step, speed, title, files.picture)
    is_valid = np.isfinite(step)
    best = int(np.nanargmax(np.abs(speed))) if is_valid.any() else None
    return {
        "robot": spec.name,
        "gait": plan.case.gait_name,
        "backend": plan.evaluator.backend,
        "settings": {"backend": plan.identity["backend"], **plan.case.settings},
        "variables": {variable.name: list(variable.values) for variable in grid.variables},
        "points": grid.size,
        "valid": int(is_valid.sum()),
        "fastest": None
        if best is None
        else dict(zip(sweep_columns(grid, plan.extra_columns), rows[best][1:], strict=True)),
        "table": str(files.table),
        "picture": str(files.picture) if is_drawn else None,
        "drawn": describe_plot(grid),
        "study": str(files.study),
    }


def _print(result: dict[str, Any]) -> None:
    rate = f" at {result['points_per_s']:.3g} points/s" if result["points_per_s"] else ""
    lines = [
        f"points: {result['points']}, of which {result['valid']} are valid",
        f"evaluated: {result['evaluated']}{rate}, {result['finished_before']} finished before",
    ]
    if best := result["fastest"]:
        at = ", ".join(f"{name} = {best[name]:.6g}" for name in result["variables"])
        lines.append(
            f"fastest: {best['speed_m_s'] * 1e3:.3f} mm/s at {at}, with steps of {best['step_length_m'] * 1e3:.3f} mm"
        )
    lines.append(f"table: {result['table']}")
    lines.append(f"picture: {result['picture'] or ''}{' shows ' if result['picture'] else ''}{result['drawn']}")
    lines.append(f"study: {result['study']}")
    print_lines(*lines)
