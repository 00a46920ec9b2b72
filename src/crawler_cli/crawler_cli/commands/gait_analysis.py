"""When each foot is on the ground and which way it is pushed there, against what the gait means."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.settings import Settings
from crawler_cli.console.arguments import MAX_RUN_S, add_json, add_settings, number_up_to, read_all_settings
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_cli.console.progress_line import ProgressLine
from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_file import default_robot

if TYPE_CHECKING:
    from crawler_studies.gait_analysis.analysis import Analysis

SKIP = 2.0  # s until a run is steady
SHORTEST, CYCLES = 5.0, 3  # s, and cycles of a slow gait, that are looked at
HELP = """examples:
  crawler gait-analysis                                   a run of its own, without ROS
  crawler gait-analysis --gait NAME --backend pybullet --seconds 12
  crawler gait-analysis runs/NAME                         a run that was recorded with 'crawler run --record'
  crawler gait-analysis my.mcap --skip 5

docs/gait_analysis.md says what the numbers mean

files: gait.png (the gait diagram), feet.csv, cycle.csv (the mean cycle) and run.csv (every sample), by default in
studies/gait_analysis/<what was looked at>/

exit codes: 0 done, 1 the run ended by itself (the robot fell, ...), 2 bad input, 130 interrupted

keys of --json: robot, gait, source, cycles, period_s, step_length_m, speed_m_s, yaw_rate_deg_s, feet_down (in the
mean), share_with_feet_down (of the time, with no foot, one, two, ...), drag_share, mismatch, nearest_gait,
nearest_gait_distance, feet (of each: duty, meant_duty, mid_stance, forward_N_s, backward_N_s, drag_share,
backward_time_share, mismatch), notes, files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler gait-analysis`."""
    parser.add_argument("recording", nargs="?", default="", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--robot", default="", help=f"which robot (default: the recording's, or {default_robot()})")
    parser.add_argument("--gait", default="", help="the gait's name (default: the recording's, or the robot's)")
    parser.add_argument("--controller", default="", help="the control law of the run (default: the robot's)")
    parser.add_argument(
        "--backend",
        default="",
        help="what moves: model, pybullet or mujoco (default: model where the robot has equations)",
    )
    parser.add_argument(
        "--seconds",
        type=number_up_to(MAX_RUN_S),
        metavar="S",
        help=f"of the run (default: {SHORTEST:g} s or {CYCLES} cycles more than --skip)",
    )
    parser.add_argument(
        "--skip",
        type=number_up_to(MAX_RUN_S),
        default=SKIP,
        metavar="S",
        help="not looked at, at the start (default: %(default)s)",
    )
    parser.add_argument("--out", metavar="DIR", help="where to (default: studies/gait_analysis/...)")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Look at the feet, and write what they did."""
    if not 0.0 <= arguments.skip < math.inf:
        raise UserError(f"--skip {arguments.skip:g} is not allowed: give 0 s or more.")
    StopRequest(raises=True)
    settings = read_all_settings(arguments)
    try:
        analysis = (_recorded if arguments.recording else _run)(arguments, settings)
    except BackendFault as fault:
        words = [str(fault).rstrip("."), *([fault.remedy.rstrip(".")] if fault.remedy else [])]
        print(f"crawler: the run ended: {'; '.join(words)}.", file=sys.stderr)
        return 1
    report = analysis.report
    result: dict[str, Any] = {"robot": analysis.robot, "gait": analysis.gait, "source": analysis.source}
    result |= report.numbers() | {"feet": report.of_feet(), "notes": list(analysis.notes)}
    directory = Path(arguments.out or f"studies/gait_analysis/{analysis.label}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        files = report.save(directory)
    except OSError as error:
        raise UserError(f"{directory} cannot be written: {error.strerror or error}.") from None
    if arguments.json:
        print(json.dumps(finite({**result, "files": [str(file) for file in files]})))
    else:
        _show(report.title, result)
        print(f"{len(files)} files in {directory}")
    return 0


def _run(arguments: argparse.Namespace, settings: Settings) -> Analysis:
    from crawler_studies.gait_analysis.analysis import analyse_run, default_backend
    from crawler_studies.study.study_case import StudyCase, check_sections, study_sections

    case = StudyCase(arguments.robot, arguments.gait, study_sections(settings), arguments.controller)
    check_sections(settings, "pybullet", "a gait analysis")
    case.check_settings()
    spec, gait = case.at({})
    skip, seconds = arguments.skip, arguments.seconds
    if seconds is None:
        seconds = skip + max(SHORTEST, CYCLES * gait.period)
    least = gait.period * (math.ceil(skip / gait.period - 1e-9) + 1) if spec.stride.event == "period" else skip
    if not least <= seconds < math.inf:
        raise UserError(
            f"--seconds {seconds:g} is not allowed: --skip and a whole cycle of the gait take {least:.4g} s."
        )
    backend = arguments.backend or default_backend(spec)
    line = ProgressLine(quiet=arguments.json)

    def progress(time: float) -> None:
        line(f"{spec.name} on {backend}: {time:.1f} of {seconds:.1f} s")

    return analyse_run(case, backend, settings.get("backend") or {}, seconds, skip, progress)


def _recorded(arguments: argparse.Namespace, settings: Settings) -> Analysis:
    from crawler_studies.gait_analysis.analysis import analyse_recording

    for flag in ("backend", "controller", "seconds"):
        if getattr(arguments, flag) not in ("", None):
            raise UserError(f"--{flag} is about a run that is made here, and {arguments.recording} is a recording.")
    for section in settings:
        if section not in ("robot", "gait"):
            raise UserError(f"'{section}' settings mean nothing to a recording: give robot and gait ones.")
    return analyse_recording(Path(arguments.recording), arguments.robot, arguments.gait, settings, arguments.skip)


def _show(title: str, result: dict[str, Any]) -> None:
    """What people read."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("foot")
    for head in ("down", "meant", "mismatch", "forward\nmN s", "backward\nmN s", "drag", "pushed\nback"):
        table.add_column(head, justify="right")
    for foot, own in result["feet"].items():
        shares = [_percent(own[key]) for key in ("duty", "meant_duty", "mismatch")]
        pushes = [_known(own[key], lambda v: f"{1e3 * v:.3f}") for key in ("forward_N_s", "backward_N_s")]
        table.add_row(foot, *shares, *pushes, _percent(own["drag_share"]), _percent(own["backward_time_share"]))
    console = Console(highlight=False)
    console.print(table)
    at_once = result["share_with_feet_down"]
    counts = ", ".join(f"{k}: {_percent(share)}" for k, share in enumerate(at_once) if share >= 5e-4)
    nearest, distance = result["nearest_gait"], result["nearest_gait_distance"]
    for line in (
        f"{result['cycles']} cycles of {result['period_s']:.4g} s",
        f"step length: {_known(result['step_length_m'], lambda v: f'{1e3 * v:.3f} mm')}, "
        f"speed: {_known(result['speed_m_s'], lambda v: f'{1e3 * v:.3f} mm/s')}, "
        f"yaw rate: {_known(result['yaw_rate_deg_s'], lambda v: f'{v:.2f}°/s')}",
        f"feet down: {result['feet_down']:.3f} in the mean ({counts})",
        f"drag: {_percent(result['drag_share'])}, mismatch: {_percent(result['mismatch'])}",
        f"nearest classical gait: {nearest}, {distance:.3f} of a cycle off" if nearest else "",
        *(f"{note[0].upper()}{note[1:]}." for note in result["notes"]),
    ):
        if line:
            console.print(line, soft_wrap=True, markup=False)


def _known(value: float, text: Any) -> str:
    return "-" if finite(value) is None else text(value)


def _percent(value: float) -> str:
    return _known(value, lambda v: f"{100.0 * v:.1f} %")
