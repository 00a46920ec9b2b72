"""The same run by the equations and by every physics engine, side by side: where independent answers agree, they may be
believed; where they part, it says when. No ROS."""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_cli.console.arguments import MAX_RUN_S, add_json, add_settings, number, number_up_to, read_all_settings
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_core.errors import BackendFault, UserError, unknown_name
from crawler_core.robot.robot_file import default_robot
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.limit_check import check_limits

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_studies.simulation.backend_comparison import BackendTrace, TraceComparison
    from gait_generators.kinds.gait import Gait

RATE = 500.0  # Hz, where the robot's ring wants no other
LEAST, PERIODS = 4.0, 6  # s, and periods of the gait: the default duration is the longer of both
HELP = """examples:
  crawler compare
  crawler compare ROBOT --gait NAME --set gait.omega=8 --set robot.friction=0.3
  crawler compare --backends model,pybullet --within 1 --json

The first backend is the one that the others are compared with. They agree where their settled strides, those of the
run's later half, differ by no more than --within of the first one's, or 0.15 mm. "parts" is when the ways within a
stride first differ by as much of that stride's way; "contact" is the first foot that does something else for 2 % of a
stride or longer.

files: a picture, in studies/compare/ unless --out says where

exit codes: 0 all agree, 1 some do not, or one ended early, 2 bad input, 130 interrupted

keys of --json: robot, gait, law, seconds, rate_hz, within, agree, picture, runs (for each backend: backend,
stride_m, speed_m_s, off, agrees, parted_s, contact, ended, wall_s), left_out (backends that were not run, and why)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler compare`."""
    parser.add_argument("robot", nargs="?", default="", help=f"which robot (default: {default_robot()})")
    parser.add_argument("--gait", default="", help="the gait's name (default: the robot's)")
    parser.add_argument("--controller", default="", help="the control law (default: the robot's)")
    parser.add_argument(
        "--backends", default="", metavar="NAME,NAME,...", help="simulations (default: all that this machine has)"
    )
    parser.add_argument(
        "--duration",
        type=number_up_to(MAX_RUN_S),
        help=f"seconds (default: {PERIODS} periods of the gait, {LEAST:g} at least)",
    )
    parser.add_argument(
        "--within", type=number, default=3.0, metavar="PERCENT", help="that counts as agreement (default: %(default)s)"
    )
    parser.add_argument("--out", default="", metavar="FILE", help="where the picture goes, a .png")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run them one after the other, and compare."""
    from crawler_cli.plots.comparison_plot import draw
    from crawler_studies.simulation.backend_comparison import compare

    settings = read_all_settings(arguments)
    if "backend" in settings:
        raise UserError("'backend' settings mean something else to each backend: set them in the robot file.")
    if not arguments.within > 0.0:
        raise UserError(f"--within {arguments.within:g} is not allowed: give a percentage above 0.")
    case = StudyCase(arguments.robot, arguments.gait, settings, arguments.controller)
    spec, gait = case.at({})
    check_limits(spec, gait)
    case.law_entry.check(spec)
    seconds = _seconds(arguments.duration, gait)
    chosen, left_out = _backends(arguments.backends)
    picture = _picture(arguments.out, spec, case.gait_name)
    dt_ns = round(1e9 / (spec.rate or RATE))
    asked = StopRequest(raises=True)
    traces: list[BackendTrace] = []
    walls: list[float] = []
    for name in chosen:
        begin = time.monotonic()
        try:
            traces.append(_trace(case, spec, gait, name, dt_ns, seconds, arguments.json))
        except (UserError, BackendFault) as error:
            if arguments.backends:
                raise UserError(f"{name} cannot run it: {error}") from None
            left_out[name] = str(error)
            continue
        except KeyboardInterrupt:
            break
        walls.append(time.monotonic() - begin)
    if asked():
        return 130
    if len(traces) < 2:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise UserError(f"it takes two to compare, and there is one simulation at most for {spec.name} here. {why}")
    verdicts = [compare(traces[0], each, spec.foot_names, 0.01 * arguments.within) for each in traces[1:]]
    result = {
        "robot": spec.name,
        "gait": case.gait_name,
        "law": case.law_name,
        "seconds": seconds,
        "rate_hz": 1e9 / dt_ns,
        "within": 0.01 * arguments.within,
        "agree": all(verdict.agrees for verdict in verdicts),
        "picture": str(picture),
        "runs": [_row(*row) for row in zip(traces, [None, *verdicts], walls, strict=True)],
        "left_out": left_out,
    }
    draw(traces, spec.foot_names, f"{spec.name}, gait {case.gait_name}", picture)
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        _show(result, traces[0].backend)
    return 0 if result["agree"] else 1


def _seconds(said: float | None, gait: Gait) -> float:
    if said is None:
        return max(LEAST, PERIODS * gait.period)
    if not (math.isfinite(said) and said >= 2.0 * gait.period):
        raise UserError(
            f"--duration {said:g} is too short: give two periods of the gait at least, {2 * gait.period:g} s."
        )
    return said


def _backends(said: str) -> tuple[list[str], dict[str, str]]:
    """Those to run, the equations first, and those that are left out, each with the reason."""
    simulations = [name for name in BACKENDS if BACKENDS[name].simulated]
    simulations.sort(key=lambda name: name != "model")
    if not said:
        return simulations, {}
    names = [word.strip() for word in said.split(",")]
    for name in names:
        if name not in simulations:
            raise unknown_name("simulation", name, simulations)
    if len(set(names)) != len(names):
        raise UserError(f"--backends {said} names one twice: that would prove nothing.")
    return names, {}


def _picture(said: str, spec: RobotSpec, gait: str) -> Path:
    file = Path(said or f"studies/compare/{spec.name}_{gait}.png")
    if file.suffix != ".png":
        raise UserError(f"--out {file} is not allowed: the file must end in .png.")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the directory {file.parent} cannot be made: {error.strerror}.") from None
    return file


def _trace(
    case: StudyCase, spec: RobotSpec, gait: Gait, name: str, dt_ns: int, seconds: float, quiet: bool
) -> BackendTrace:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from crawler_studies.simulation.backend_comparison import trace
    from crawler_studies.simulation.simulate import simulation_settings

    entry, dt = BACKENDS[name], dt_ns * 1e-9
    settings, _ = simulation_settings(spec, name, {})
    entry.check(spec, settings)
    law = case.law_entry.build(spec, case.law_at({}), dt)
    console = Console(stderr=True)
    bar = Progress(
        TextColumn(f"{name:10}"), BarColumn(), TimeRemainingColumn(), console=console, transient=True, disable=quiet
    )
    with bar:
        task = bar.add_task(name, total=seconds)
        return trace(
            spec, gait, law, entry.backend(spec, settings, dt), dt_ns, seconds, lambda t: bar.update(task, completed=t)
        )


def _row(run: BackendTrace, verdict: TraceComparison | None, wall: float) -> dict[str, Any]:
    stride, speed = run.settled
    return {
        "backend": run.backend,
        "stride_m": stride,
        "speed_m_s": speed,
        "off": verdict.off if verdict else 0.0,
        "agrees": verdict.agrees if verdict else True,
        "parted_s": verdict.parted if verdict else None,
        "contact": verdict.contact if verdict else "",
        "ended": run.ended,
        "wall_s": round(wall, 3),
    }


def _show(result: Mapping[str, Any], first: str) -> None:
    from rich.console import Console
    from rich.table import Table

    title = f"{result['robot']}, gait {result['gait']}, {result['seconds']:.4g} s, beside {first}"
    table = Table(title=title)
    for name in ("", "stride", "speed", "off", "parts", "first contact that differs"):
        table.add_column(name, justify="left" if name in ("", "first contact that differs") else "right")
    for row in result["runs"]:
        own = row["backend"] == first
        parts = "-" if own else "never" if row["parted_s"] is None else f"at {row['parted_s']:.3f} s"
        table.add_row(
            row["backend"],
            f"{1e3 * row['stride_m']:.3f} mm",
            f"{1e3 * row['speed_m_s']:.3f} mm/s",
            "-" if own else f"{100 * row['off']:+.2f} %",
            parts,
            "-" if own else row["contact"] or "none",
        )
    console = Console()
    console.print(table)
    for row in result["runs"]:
        if row["ended"]:
            console.print(f"{row['backend']} ended early: {row['ended']}.", markup=False)
    for name, why in result["left_out"].items():
        console.print(f"{name} was left out: {why}", markup=False)
    said = "They agree" if result["agree"] else "They do not agree"
    console.print(f"{said} within {100 * result['within']:g} % of a stride. Picture: {result['picture']}", markup=False)
