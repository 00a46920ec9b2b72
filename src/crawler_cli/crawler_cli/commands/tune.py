"""Find the gait that crawls best: Bayesian optimisation of any parameters, on equations, physics or a running ring."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_cli.console.arguments import add_json, add_settings, integer, namespace, number, read_all_settings
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot, load_robot

if TYPE_CHECKING:
    from crawler_studies.tuning.plan import Request, TuningPlan
    from crawler_studies.tuning.tuning_loop import TuningState

HELP_TEXT = """examples:
  crawler tune --maximise robust_step --over gait.psi,gait.alpha,gait.upsilon --set gait.omega=3.2
  crawler tune --maximise speed --over gait.omega=0.3:16,gait.psi=0:180 --budget 40
  crawler tune --over gait.psi,gait.phi0=95:125 --set gait.omega=8 --backend pybullet
  crawler tune --over gait.psi=0:180,gait.amplitude=5:20 --backend ring --budget 20
  crawler tune --gait fourier --over gait.shape --set gait.omega=8 --out my_shape.yaml

objectives: step, speed; robust_step and robust_speed, the middle between least and most over a set of frictions;
worst_step, the least over it; and the columns that a sweep of the robot has for its own, by their names. --over takes
any numeric parameter of gait, robot and law; without a range a sensible one: psi from 0 to 180, or all that is allowed.

--backend ring tunes a ring that runs already, such as `crawler run --duration 0` elsewhere, also on a real robot: it
sets the gait's parameters, waits until they are in force and the crawl is steady, and measures odom. At its end, also
by Ctrl-C, the gait is put back to what it was.

Where the robot's equations bring a search of their own for a parameter, such as --over gait.shape, it takes the place
of the Bayesian one: a shape of the gait fourier has too many numbers for a Gaussian process, and an evolution strategy
finds it. Its --budget counts gaits (default 120000); --out says where its file goes.

files: the study (.sqlite) with every finished evaluation, and beside it a picture (.png), by default in studies/. An
interrupted tuning goes on where it stopped when the same command is given again; a larger --budget continues it.

exit codes: 0 done, 1 done but nothing was valid, 2 bad input or a ring that is not there, 130 interrupted

keys of --json with such a search: robot, gait, objective, unit, budget, evaluations, best_value, command, file, study,
and its own, such as nominal_step_m

keys of --json: robot, gait, backend, objective (least_... of a minimised one), unit (of best_value; empty: the
objective's name says it), variables (name to low and high), settings, seed, budget, evaluations, evaluated (by this
call), finished_before (by earlier ones), not_valid, best (the best point), best_value, best_evaluation (its number),
set (the words that repeat it), command (that crawls with it), study, picture
"""
BUDGET = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler tune`."""
    parser.add_argument("robot", nargs="?", default="", help=f"which robot (default: {default_robot()})")
    aim = parser.add_mutually_exclusive_group()
    aim.add_argument(
        "--maximise",
        metavar="OBJECTIVE",
        help="step, speed, robust_step, robust_speed, worst_step or a number of the robot's own (default: step)",
    )
    aim.add_argument("--minimise", default="", metavar="OBJECTIVE", help="step, speed or a number of the robot's own")
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME[=LOW:HIGH],...",
        help="what to vary, such as gait.psi or gait.psi=0:180; repeatable",
    )
    parser.add_argument("--budget", type=integer, help=f"evaluations in all, with earlier ones (default: {BUDGET})")
    parser.add_argument("--gait", default="", help="the gait's name (default: the robot's, or what --over needs)")
    parser.add_argument("--controller", default="", help="the control law (default: the robot's)")
    parser.add_argument(
        "--backend", default="model", help="who evaluates: model, pybullet, mujoco or ring (default: %(default)s)"
    )
    parser.add_argument(
        "--friction-set",
        default="asymmetric",
        help="of the robust objectives. asymmetric: one foot rubs more by what the other rubs less; corners: the nine "
        "combinations of less, as it is and more (default: %(default)s)",
    )
    parser.add_argument(
        "--spread",
        type=number,
        default=0.1,
        metavar="E",
        help="by which share friction may stray (default: %(default)s)",
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
    parser.add_argument("--namespace", type=namespace, default="", help="of the ring, with --backend ring")
    parser.add_argument(
        "--keep-best", action="store_true", help="with --backend ring: leave the robot in the best gait that was found"
    )
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check everything, evaluate what is missing, report."""
    words = [word for text in arguments.over for word in text.split(",")]
    from crawler_studies.tuning.parameter_search import search_for
    from crawler_studies.tuning.plan import Request

    spec = load_robot(arguments.robot)
    for name in (word.strip().partition("=")[0] for word in words):
        if search := search_for(spec, name):
            from crawler_cli.commands.tune_search import run as run_search

            return run_search(arguments, search, name, words)
    if arguments.out.endswith((".yaml", ".yml")):
        raise UserError(
            f"--out {arguments.out} is not allowed: the study is an .sqlite file; only a search such as "
            "--over gait.shape writes parameters into a .yaml file."
        )
    request = Request(
        robot=arguments.robot,
        gait=arguments.gait,
        maximise=arguments.maximise or "step",
        minimise=arguments.minimise,
        law=arguments.controller,
        over=tuple(words),
        settings=read_all_settings(arguments),
        friction_set=arguments.friction_set,
        spread=arguments.spread,
        budget=BUDGET if arguments.budget is None else arguments.budget,
        seed=arguments.seed,
        backend=arguments.backend,
        namespace=arguments.namespace,
        keep_best=arguments.keep_best,
    )
    with ExitStack() as stack:
        return _tune(arguments, request, stack)


def _tune(arguments: argparse.Namespace, request: Request, stack: ExitStack) -> int:
    from crawler_studies.tuning.plan import plan_for, study_path
    from crawler_studies.tuning.progress import TuningProgress

    quiet = arguments.json
    progress = TuningProgress(quiet)
    asked = StopRequest(raises=arguments.backend != "ring")
    plan = plan_for(request, stack, progress.say, asked)
    # these take a second, for which nobody shall wait who has misspelt something
    from crawler_studies.tuning.report import outcome
    from crawler_studies.tuning.tuning_loop import open_tuning, read, tune

    path = study_path(plan, arguments.out)
    study = stack.enter_context(open_tuning(plan, path))
    before = len(read(plan, study).trials)
    if not quiet:
        _announce(plan, path, before)
    try:
        with progress:
            tune(plan, study, progress, asked)
    except KeyboardInterrupt:
        pass
    finally:
        asked.raises = False  # what follows must not be cut short
        standing = replace(read(plan, study), before=before)
        if arguments.backend == "ring":
            _leave(plan, standing, arguments.keep_best)
    if not standing.finished:
        print(
            f"crawler: interrupted with {len(standing.trials)} of {plan.budget} evaluations finished; they are in "
            f"{path}, and the same command goes on there.",
            file=sys.stderr,
        )
        return 130
    result = outcome(plan, standing, path)
    if quiet:
        print(json.dumps(finite(result)))
    else:
        _show(plan, standing, result)
    return 0 if standing.best else 1


def _announce(plan: TuningPlan, path: Path, before: int) -> None:
    ranges = ", ".join(f"{v.name} from {v.low:g} to {v.high:g}" for v in plan.space.variables)
    resumed = f", {before} of them finished before" if before else ""
    case = plan.case
    lines = [
        f"{case.spec.name}, gait {case.gait_name}, {plan.evaluator.backend}: {plan.objective.label} over "
        f"{ranges}; {plan.budget} evaluations{resumed}; study: {path}"
    ]
    print("\n".join([plan.note, *lines] if plan.note else lines), file=sys.stderr, flush=True)


def _leave(plan: TuningPlan, standing: TuningState, keep_best: bool) -> None:
    from crawler_studies.evaluators.live_evaluator import LiveEvaluator

    assert isinstance(plan.evaluator, LiveEvaluator)
    best = standing.best
    if trouble := plan.evaluator.close(best.point if keep_best and best else None):
        print(f"crawler: {trouble}", file=sys.stderr)


def _show(plan: TuningPlan, standing: TuningState, result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from crawler_studies.tuning.progress import shown

    console = Console(highlight=False)
    table = Table(title=f"{result['robot']}, gait {result['gait']}: {result['objective']}", title_justify="left")
    for column in ("", "best", "range"):
        table.add_column(column, justify="left" if not column else "right")
    best = standing.best
    table.add_row(result["objective"], shown(best.value, plan.objective.kind) if best else "nothing was valid", "")
    for variable in plan.space.variables:
        value = f"{best.point[variable.name]:g}" if best else "-"
        table.add_row(variable.name, value, f"{variable.low:g} to {variable.high:g}")
    found = f", the best was number {result['best_evaluation']}" if best else ""
    table.add_row("evaluations", f"{result['evaluations']}{found}", f"{result['not_valid']} not valid")
    console.print(table)
    if best:
        console.print("again: " + " ".join(result["set"]), soft_wrap=True, markup=False)
        console.print(f"crawl: {result['command']}", soft_wrap=True, markup=False)
    else:
        console.print(f"latest reason: {standing.trials[-1].reason}", soft_wrap=True, markup=False)
    for name in ("picture", "study"):
        console.print(f"{name}: {result[name]}", soft_wrap=True, markup=False)
