"""Run the same gait by the equations and all physics engines, and compare them."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.backend_registry import BACKENDS, EMULATED_BACKENDS
from crawler_cli.console.arguments import (
    MAX_RUN_S,
    add_gait_and_law,
    add_json,
    add_robot,
    add_settings,
    make_directory,
    number,
    number_up_to,
    read_all_settings,
)
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import print_json, print_lines, print_table
from crawler_core.errors import BackendFault, UserError, unknown_name
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.limit_check import check_limits

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_studies.simulation.backend_comparison import BackendComparison, BackendTrace
    from gait_generators.kinds.gait import Gait

DEFAULT_RATE_HZ = 500.0  # of a robot whose file gives none
MIN_DURATION_S, MIN_PERIODS = 4.0, 6  # the default duration is the longer of the two
HELP_TEXT = f"""
  makes   a table: stride, speed, and where each simulation first differs; and a picture of them
  where   studies/compare/<robot>_<gait>.png, or --out FILE
  time    from seconds to a few minutes, for {MIN_PERIODS} periods of the gait

The runs need no ROS. The first backend is the reference. The others agree if their settled strides, those of the run's
later half, differ by at most --within of the reference's, or by 0.15 mm. The column "first differs" is the time at
which the distances within a stride first differ by that share of the stride. The column "first contact that differs"
is the first foot that does something else for 2 % of a stride or longer.

examples:
  crawler compare
  crawler compare ROBOT --gait NAME --set gait.omega=8 --set robot.friction=0.3
  crawler compare --backends model,pybullet --within 1 --json

exit codes: 0 all agree, 1 some do not, or one ended early, 2 bad input, 130 interrupted

keys of --json: robot, gait, law, seconds, rate_hz, within, agree, picture, runs (for each backend: backend, stride_m,
speed_m_s, off, agrees, parted_s, contact, ended, wall_s), left_out (backends that were not run, and why)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_gait_and_law(parser)
    parser.add_argument(
        "--backends", default="", metavar="NAME,NAME,...", help="simulations (default: all that this machine has)"
    )
    duration = f"{MIN_PERIODS} periods of the gait, {MIN_DURATION_S:g} at least"
    parser.add_argument("--duration", type=number_up_to(MAX_RUN_S), help=f"seconds (default: {duration})")
    parser.add_argument(
        "--within", type=number, default=3.0, metavar="PERCENT", help="counts as agreement (default: %(default)s)"
    )
    parser.add_argument("--out", default="", metavar="FILE", help="where the picture goes, a .png")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the simulations one after the other, and compare them."""
    from crawler_cli.plots.comparison_plot import draw
    from crawler_studies.simulation.backend_comparison import compare_traces

    settings = read_all_settings(arguments)
    if "backend" in settings:
        raise UserError("'backend' settings mean something else to each backend: set them in the robot file.")
    if not arguments.within > 0.0:
        raise UserError(f"--within {arguments.within:g} is not allowed: give a percentage above 0.")
    case = StudyCase(arguments.robot, arguments.gait, settings, arguments.controller)
    spec, gait = case.at({})
    check_limits(spec, gait)
    case.law_entry.check(spec)
    seconds = _duration(arguments.duration, gait)
    names = _simulations(arguments.backends)
    picture = _picture_file(arguments.out, spec, case.gait_name)
    rate = spec.rate or DEFAULT_RATE_HZ
    is_stopped = StopRequest(raises=True)
    traces, wall_times, left_out = _run_all(case, names, rate, seconds, arguments)
    if is_stopped():
        return EXIT_INTERRUPTED
    if len(traces) < 2:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise UserError(f"it takes two to compare, and there is one simulation at most for {spec.name} here. {reasons}")
    within = 0.01 * arguments.within
    comparisons = [compare_traces(traces[0], trace, spec.foot_names, within) for trace in traces[1:]]
    result = {
        "robot": spec.name,
        "gait": case.gait_name,
        "law": case.law_name,
        "seconds": seconds,
        "rate_hz": 1e9 / round(1e9 / rate),  # ticks last whole nanoseconds
        "within": within,
        "agree": all(comparison.agrees for comparison in comparisons),
        "picture": str(picture),
        "runs": [_row(*columns) for columns in zip(traces, [None, *comparisons], wall_times, strict=True)],
        "left_out": left_out,
    }
    draw(traces, spec.foot_names, f"{spec.name}, gait {case.gait_name}", picture)
    if arguments.json:
        print_json(result)
    else:
        _print(result, traces[0].backend)
    return 0 if result["agree"] else EXIT_NOT_DONE


def _duration(given: float | None, gait: Gait) -> float:
    if given is None:
        return max(MIN_DURATION_S, MIN_PERIODS * gait.period)
    if not (math.isfinite(given) and given >= 2.0 * gait.period):
        raise UserError(
            f"--duration {given:g} is too short: give at least two periods of the gait, {2 * gait.period:g} s."
        )
    return given


def _simulations(given: str) -> list[str]:
    """Return the backends to run; without a choice physics and the equations, these first."""
    simulations = [name for name in BACKENDS if BACKENDS[name].simulated]
    simulations.sort(key=lambda name: name != "model")
    if not given:
        return [name for name in simulations if name not in EMULATED_BACKENDS]
    names = [word.strip() for word in given.split(",")]
    for name in names:
        if name not in simulations:
            raise unknown_name("simulation", name, simulations)
    if len(set(names)) != len(names):
        raise UserError(f"--backends {given} names one twice: give each once.")
    return names


def _picture_file(given: str, spec: RobotSpec, gait: str) -> Path:
    file = Path(given or f"studies/compare/{spec.name}_{gait}.png")
    if file.suffix != ".png":
        raise UserError(f"--out {file} is not allowed: the file must end in .png.")
    make_directory(file.parent)
    return file


def _run_all(
    case: StudyCase, names: Sequence[str], rate: float, seconds: float, arguments: argparse.Namespace
) -> tuple[list[BackendTrace], list[float], dict[str, str]]:
    """Run every simulation until Ctrl-C. Return the traces, their wall times in s, and why others were left out.

    Raises UserError if a simulation that the user named cannot run.
    """
    traces: list[BackendTrace] = []
    wall_times: list[float] = []
    left_out: dict[str, str] = {}
    for name in names:
        begin = time.monotonic()
        try:
            traces.append(_run_with_progress(case, name, rate, seconds, arguments.json))
        except (UserError, BackendFault) as error:
            if arguments.backends:
                raise UserError(f"{name} cannot run it: {error}") from None
            left_out[name] = str(error)
        except KeyboardInterrupt:
            break
        else:
            wall_times.append(time.monotonic() - begin)
    return traces, wall_times, left_out


def _run_with_progress(case: StudyCase, name: str, rate: float, seconds: float, quiet: bool) -> BackendTrace:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from crawler_studies.simulation.backend_comparison import run_backend

    columns = (TextColumn(f"{name:10}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task(name, total=seconds)
        return run_backend(case, name, rate, seconds, lambda time_s: bar.update(task, completed=time_s))


def _row(trace: BackendTrace, comparison: BackendComparison | None, wall_time: float) -> dict[str, Any]:
    stride, speed = trace.settled
    return {
        "backend": trace.backend,
        "stride_m": stride,
        "speed_m_s": speed,
        "off": comparison.off if comparison else 0.0,
        "agrees": comparison.agrees if comparison else True,
        "parted_s": comparison.parted if comparison else None,
        "contact": comparison.contact if comparison else "",
        "ended": trace.ended,
        "wall_s": round(wall_time, 3),
    }


def _print(result: Mapping[str, Any], reference: str) -> None:
    from rich.table import Table

    title = f"{result['robot']}, gait {result['gait']}, {result['seconds']:.4g} s, beside {reference}"
    table = Table(title=title)
    for name in ("", "stride", "speed", "difference", "first differs", "first contact that differs"):
        table.add_column(name, justify="left" if name in ("", "first contact that differs") else "right")
    for row in result["runs"]:
        is_reference = row["backend"] == reference
        first_differs = "never" if row["parted_s"] is None else f"at {row['parted_s']:.3f} s"
        table.add_row(
            row["backend"],
            f"{1e3 * row['stride_m']:.3f} mm",
            f"{1e3 * row['speed_m_s']:.3f} mm/s",
            "-" if is_reference else f"{100 * row['off']:+.2f} %",
            "-" if is_reference else first_differs,
            "-" if is_reference else row["contact"] or "none",
        )
    print_table(table)
    verdict = "They agree" if result["agree"] else "They do not agree"
    print_lines(
        *(f"{row['backend']} ended early: {row['ended']}." for row in result["runs"] if row["ended"]),
        *(f"{name} was left out: {reason}" for name, reason in result["left_out"].items()),
        f"{verdict} within {100 * result['within']:g} % of a stride. Picture: {result['picture']}",
    )
