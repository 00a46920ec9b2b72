"""Measure how far each robot's odometry is from the truth, on every simulation and with worse sensors."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_cli.console.arguments import add_json, integer
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import print_json, print_lines, print_table
from crawler_cli.console.progress_line import ProgressLine
from crawler_core.errors import BackendFault, UserError, unknown_name
from crawler_core.robot.robot_file import robot_names
from crawler_core.sensors.sensor_spec import PROFILES
from crawler_studies.study.study_case import StudyCase

if TYPE_CHECKING:
    from crawler_studies.simulation.estimator_errors import EstimatorErrors

DEFAULT_RATE_HZ = 200.0  # of a robot whose file gives none, as on motors
DEFAULT_STRIDES, MAX_STRIDES = 10, 1000
HELP_TEXT = f"""
  makes   a table by robot, backend and reality: errors of place, heading, speed and contacts
  where   on the terminal, or one JSON object
  time    about ten minutes for all robots, and half a minute for a robot on one backend; {DEFAULT_STRIDES} strides each

The runs need no ROS; the estimator is the one that computes `odom`. A robot with an external pose has two rows: with
it and without. The error of the place is horizontal, and a share of the way. docs/estimation.md explains the numbers.

examples:
  crawler estimators                        all robots, simulations and emulated motors
  crawler estimators ROBOT --backends model --realities typical,harsh
  crawler estimators ROBOT --estimator foot_kinematics --strides 20 --json

exit codes: 0 done, 2 bad input, 130 interrupted

keys of --json: rows (of each: robot, backend, reality, estimator, external_pose, seconds, way_m, place_error_m,
place_error_share, place_sigma_m (the estimator's own), heading_error_rad, speed_error_m_s, ground_share, mode_share,
update_us, ended), left_out (robot, backend, reality and reason of what was not run)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("robot", nargs="?", default="", help="name or robot.yaml (default: all robots)")
    parser.add_argument("--gait", default="", help="the gait's name (default: the robot's)")
    parser.add_argument(
        "--backends", default="", metavar="NAME,NAME,...", help="of model, pybullet, mujoco, emulated (default: all)"
    )
    parser.add_argument(
        "--realities",
        default="typical,harsh",
        metavar="NAME,...",
        help="of ideal, typical, harsh (default: %(default)s)",
    )
    parser.add_argument("--estimator", default="", help="another one than the robot's")
    parser.add_argument("--strides", type=integer, default=DEFAULT_STRIDES, help="of a run (default: %(default)s)")
    parser.add_argument("--seed", type=integer, default=0, help="of the noise (default: %(default)s)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run every combination, and print the table."""
    robots = [arguments.robot] if arguments.robot else robot_names()
    if not 1 <= arguments.strides <= MAX_STRIDES:
        raise UserError(f"--strides {arguments.strides} is not allowed: give 1 to {MAX_STRIDES}.")
    backends = _names(arguments.backends, [name for name in BACKENDS if BACKENDS[name].simulated], "simulation")
    realities = _names(arguments.realities, PROFILES, "reality")
    cases = [StudyCase(robot, arguments.gait if arguments.robot else "") for robot in robots]
    for case in cases:
        case.at({})
    rows: list[dict[str, Any]] = []
    left_out: list[dict[str, str]] = []
    is_stopped = StopRequest(raises=True)
    line = ProgressLine(quiet=arguments.json)
    try:
        for case in cases:
            for backend in backends:
                for reality in realities:
                    words = {"robot": case.spec.name, "backend": backend, "reality": reality}
                    line(f"{case.spec.name} on {backend}, {reality}")
                    try:
                        rows += [{**words, **row} for row in _measure(case, backend, reality, arguments)]
                    except (UserError, BackendFault) as error:
                        if len(cases) * len(backends) * len(realities) == 1:
                            raise
                        left_out.append({**words, "reason": str(error)})
    except KeyboardInterrupt:
        if not is_stopped():
            raise
    if arguments.json:
        print_json({"rows": rows, "left_out": left_out})
    else:
        _print(rows, left_out)
    return EXIT_INTERRUPTED if is_stopped() else 0


def _names(given: str, known: Sequence[str], kind: str) -> list[str]:
    names = [word.strip() for word in given.split(",")] if given else list(known)
    for name in names:
        if name not in known:
            raise unknown_name(kind, name, known)
    return names


def _measure(case: StudyCase, backend: str, reality: str, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from crawler_studies.simulation.estimator_errors import measure_estimator

    spec, gait = case.at({})
    seconds = (1 + arguments.strides) * gait.period  # a gait fades in over its first period
    values = {"reality": reality, "seed": arguments.seed}
    found: list[EstimatorErrors] = measure_estimator(
        case,
        backend,
        values,
        seconds,
        time.process_time,
        estimator=arguments.estimator,
        rate=spec.rate or DEFAULT_RATE_HZ,
    )
    for errors in found:
        yield {"seconds": seconds, **errors.numbers()}


def _print(rows: Sequence[dict[str, Any]], left_out: Sequence[dict[str, str]]) -> None:
    from rich.table import Table

    table = Table(title="odom beside the truth", title_justify="left")
    for name in ("robot", "backend", "reality", "estimator", "pose"):
        table.add_column(name)
    for name in ("way", "place", "", "heading", "speed", "ground", "modes", "update"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            *(row[key] for key in ("robot", "backend", "reality", "estimator")),
            "yes" if row["external_pose"] else "",
            f"{1e3 * row['way_m']:.0f} mm",
            f"{1e3 * row['place_error_m']:.1f} mm",
            f"{100.0 * row['place_error_share']:.1f} %",
            f"{math.degrees(row['heading_error_rad']):.1f}°",
            f"{1e3 * row['speed_error_m_s']:.0f} mm/s",
            _percent(row["ground_share"]),
            _percent(row["mode_share"]),
            f"{row['update_us']:.0f} us",
        )
    print_table(table)
    print_lines(
        *(
            f"{row['robot']} on {row['backend']}, {row['reality']}, ended early: {row['ended']}"
            for row in rows
            if row["ended"]
        ),
        *(f"{one['robot']} on {one['backend']}, {one['reality']}, was left out: {one['reason']}" for one in left_out),
    )


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100.0 * share:.0f} %"
