"""Find the gait that crawls best: by equations, in physics or on a running stack."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_cli.console.arguments import (
    add_json,
    add_robot,
    add_settings,
    integer,
    namespace,
    number,
    read_all_settings,
)
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import print_json, print_lines, print_table
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot

if TYPE_CHECKING:
    from crawler_studies.tuning.plan import TuningPlan
    from crawler_studies.tuning.tuning_loop import TuningState

DEFAULT_BUDGET = 60
HELP_TEXT = """
  makes   the study (.sqlite) with every evaluation, a picture (.png) beside it, and the best gait;
          a search such as --over gait.shape makes a parameter file (.yaml)
  where   studies/, or --out FILE
  time    by the equations seconds, in physics minutes, on a running stack as long as it crawls

Objectives are step and speed; robust_step and robust_speed, the middle between least and most over a set of frictions;
worst_step, the least over it; and the columns of a sweep of this robot, by their names. --over takes any numeric
parameter of gait, robot and law. Its default range is psi from 0 to 180, and for others all that is allowed. An
interrupted tuning continues when the same command is given again, and so does one with a larger --budget.

--backend live tunes a running stack, such as `crawler run --duration 0` in another terminal, also on a real robot. It
sets the gait's parameters, waits until they are in force and the crawl is steady, and measures by the ground truth of
a simulation, or by odom. At its end, also by Ctrl-C, it restores the gait.

A robot's equations can bring a search of their own for a parameter, such as --over gait.shape. It replaces the
Bayesian one: a shape of the gait fourier has too many numbers for a Gaussian process, so an evolution strategy
searches it. Its --budget counts gaits (default 120000).

examples:
  crawler tune --maximise robust_step --over gait.psi,gait.alpha,gait.upsilon --set gait.omega=3.2
  crawler tune --maximise speed --over gait.omega=0.3:16,gait.psi=0:180 --budget 40
  crawler tune --over gait.psi,gait.phi0=95:125 --set gait.omega=8 --backend pybullet
  crawler tune --over gait.psi=0:180,gait.amplitude=5:20 --backend live --budget 20
  crawler tune --gait fourier --over gait.shape --set gait.omega=8 --out my_shape.yaml

exit codes: 0 done, 1 done but nothing was valid, 2 bad input or no such stack, 130 interrupted

keys of --json with such a search: robot, gait, objective, unit, budget, evaluations, best_value, command, file, study,
and its own, such as nominal_step_m

keys of --json: robot, gait, backend, objective (least_... of a minimised one), unit (of best_value; empty: in the
objective's name), variables (name to low and high), settings, measured_by, seed, budget, evaluations, evaluated (by
this call), finished_before (by earlier ones), not_valid, best (the best point), best_value, best_evaluation (its
number), set (the words that repeat it), command (that crawls with it), study, picture
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    aim = parser.add_mutually_exclusive_group()
    aim.add_argument(
        "--maximise",
        metavar="OBJECTIVE",
        help="step, speed, robust_step, robust_speed, worst_step or a number of this robot (default: step)",
    )
    aim.add_argument("--minimise", default="", metavar="OBJECTIVE", help="step, speed or a number of this robot")
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME[=LOW:HIGH],...",
        help="what to vary, such as gait.psi or gait.psi=0:180; repeatable",
    )
    parser.add_argument(
        "--budget", type=integer, help=f"evaluations in all, with earlier ones (default: {DEFAULT_BUDGET})"
    )
    parser.add_argument("--gait", default="", help="the gait's name (default: the robot's, or what --over needs)")
    parser.add_argument("--controller", default="", help="the control law (default: the robot's)")
    parser.add_argument(
        "--backend", default="model", help="the evaluator: model, pybullet, mujoco or live (default: %(default)s)"
    )
    parser.add_argument(
        "--friction-set",
        default="asymmetric",
        help="of the robust objectives. asymmetric: one foot rubs more by what the other rubs less; corners: the nine "
        "combinations of less, as it is and more (default: %(default)s)",
    )
    parser.add_argument(
        "--spread", type=number, default=0.1, metavar="E", help="share by which friction varies (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=integer, default=0, help="of the first points and all choices (default: %(default)s)"
    )
    parser.add_argument(
        "--out",
        default="",
        metavar="FILE",
        help="the study, or the parameters (.yaml) of a search such as --over gait.shape (default: studies/...)",
    )
    parser.add_argument("--namespace", type=namespace, default="", help="of the running stack, with --backend live")
    parser.add_argument(
        "--keep-best", action="store_true", help="with --backend live: leave the robot in the best gait that was found"
    )
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Tune by the parameter's own search if there is one, otherwise by Bayesian optimisation."""
    from crawler_studies.tuning.parameter_search import find_search

    words = [word for text in arguments.over for word in text.split(",")]
    spec = load_robot(arguments.robot)
    for name in (word.strip().partition("=")[0] for word in words):
        if search := find_search(spec, name):
            from crawler_cli.commands.tune_search import run_search

            return run_search(arguments, search, name, words)
    if arguments.out.endswith((".yaml", ".yml")):
        raise UserError(
            f"--out {arguments.out} is not allowed: the study is an .sqlite file; only a search such as "
            "--over gait.shape writes parameters into a .yaml file."
        )
    with ExitStack() as stack:
        return _tune(arguments, words, stack)


def _tune(arguments: argparse.Namespace, words: Sequence[str], stack: ExitStack) -> int:
    from crawler_studies.tuning.plan import TuningRequest, plan_for, study_path
    from crawler_studies.tuning.progress import TuningProgress

    is_live = arguments.backend == "live"
    progress = TuningProgress(arguments.json)
    is_stopped = StopRequest(raises=not is_live)
    request = TuningRequest(
        robot=arguments.robot,
        gait=arguments.gait,
        maximise=arguments.maximise or "step",
        minimise=arguments.minimise,
        law=arguments.controller,
        over=tuple(words),
        settings=read_all_settings(arguments),
        friction_set=arguments.friction_set,
        spread=arguments.spread,
        budget=DEFAULT_BUDGET if arguments.budget is None else arguments.budget,
        seed=arguments.seed,
        backend=arguments.backend,
        namespace=arguments.namespace,
        keep_best=arguments.keep_best,
    )
    plan = plan_for(request, stack, progress.notify, is_stopped)
    # these imports take a second: errors in the input come first
    from crawler_studies.tuning.report import report_tuning
    from crawler_studies.tuning.tuning_loop import open_tuning, read_tuning, tune

    path = study_path(plan, arguments.out)
    study = stack.enter_context(open_tuning(plan, path))
    before = len(read_tuning(plan, study).trials)
    if not arguments.json:
        _announce(plan, path, before)
    try:
        with progress:
            tune(plan, study, progress, is_stopped)
    except KeyboardInterrupt:
        pass
    finally:
        is_stopped.raises = False  # nothing may interrupt the rest
        state = replace(read_tuning(plan, study), before=before)
        if is_live:
            _restore_gait(plan, state, arguments.keep_best)
    if not state.finished:
        print(
            f"crawler: interrupted with {len(state.trials)} of {plan.budget} evaluations finished; they are in "
            f"{path}, and the same command goes on there.",
            file=sys.stderr,
        )
        return EXIT_INTERRUPTED
    result = report_tuning(plan, state, path)
    if arguments.json:
        print_json(result)
    else:
        _print(plan, state, result)
    return 0 if state.best else EXIT_NOT_DONE


def _announce(plan: TuningPlan, path: Path, before: int) -> None:
    ranges = ", ".join(f"{v.name} from {v.low:g} to {v.high:g}" for v in plan.space.variables)
    resumed = f", {before} of them finished before" if before else ""
    case = plan.case
    lines = [
        f"{case.spec.name}, gait {case.gait_name}, {plan.evaluator.backend}: {plan.objective.label} over "
        f"{ranges}; {plan.budget} evaluations{resumed}; study: {path}"
    ]
    print("\n".join([plan.note, *lines] if plan.note else lines), file=sys.stderr, flush=True)


def _restore_gait(plan: TuningPlan, state: TuningState, keep_best: bool) -> None:
    """Set the running stack back to the gait that it had, or to the best one."""
    from crawler_studies.evaluators.live_evaluator import LiveEvaluator

    assert isinstance(plan.evaluator, LiveEvaluator)
    best = state.best
    if problem := plan.evaluator.close(best.point if keep_best and best else None):
        print(f"crawler: {problem}", file=sys.stderr)


def _print(plan: TuningPlan, state: TuningState, result: dict[str, Any]) -> None:
    from rich.table import Table

    from crawler_studies.tuning.progress import format_value

    best = state.best
    table = Table(title=f"{result['robot']}, gait {result['gait']}: {result['objective']}", title_justify="left")
    for column in ("", "best", "range"):
        table.add_column(column, justify="left" if not column else "right")
    best_value = format_value(best.value, plan.objective.criterion) if best else "nothing was valid"
    table.add_row(result["objective"], best_value, "")
    for variable in plan.space.variables:
        value = f"{best.point[variable.name]:g}" if best else "-"
        table.add_row(variable.name, value, f"{variable.low:g} to {variable.high:g}")
    found = f", the best was number {result['best_evaluation']}" if best else ""
    table.add_row("measured by", result["measured_by"], "")
    table.add_row("evaluations", f"{result['evaluations']}{found}", f"{result['not_valid']} not valid")
    print_table(table)
    if best:
        print_lines(f"again: {' '.join(result['set'])}", f"crawl: {result['command']}")
    else:
        print(f"latest reason: {state.trials[-1].reason}")
    print_lines(*(f"{name}: {result[name]}" for name in ("picture", "study")))
