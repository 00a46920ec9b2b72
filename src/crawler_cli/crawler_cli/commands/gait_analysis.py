"""Measure when each foot is down and how it pushes, beside what the gait intends."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.settings import Settings
from crawler_cli.console.arguments import (
    MAX_RUN_S,
    add_gait_and_law,
    add_json,
    add_settings,
    make_directory,
    number_up_to,
    read_all_settings,
)
from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite, print_json, print_lines, print_table
from crawler_cli.console.progress_line import ProgressLine
from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_file import default_robot

if TYPE_CHECKING:
    from crawler_studies.gait_analysis.analysis import Analysis

DEFAULT_SKIP_S = 2.0  # until a run is steady
MIN_ANALYSED_S, MIN_CYCLES = 5.0, 3  # the default run is the longer of the two
HELP_TEXT = """
  makes   gait.png (the gait diagram), feet.csv, cycle.csv (the mean cycle), run.csv (every sample)
  where   studies/gait_analysis/<robot, gait and source>/, or --out DIR
  time    some seconds, for a run of 7 s by default; less for a recording

docs/gait_analysis.md explains the numbers.

examples:
  crawler gait-analysis                     a run of its own, without ROS
  crawler gait-analysis --gait NAME --backend pybullet --seconds 12
  crawler gait-analysis runs/NAME           a run recorded with 'crawler run --record'
  crawler gait-analysis my.mcap --skip 5

exit codes: 0 done, 1 the run ended early (the robot fell, ...), 2 bad input, 130 interrupted

keys of --json: robot, gait, source, cycles, period_s, step_length_m, speed_m_s, yaw_rate_deg_s, feet_down (on
average), share_with_feet_down (of the time, with no foot, one, two, ...), drag_share, mismatch, nearest_gait,
nearest_gait_distance, feet (of each: duty, meant_duty, mid_stance, forward_N_s, backward_N_s, drag_share,
backward_time_share, mismatch), notes, files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", nargs="?", default="", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--robot", default="", help=f"which robot (default: the recording's, or {default_robot()})")
    add_gait_and_law(parser)
    parser.add_argument(
        "--backend", default="", help="model, pybullet or mujoco (default: model for a robot with equations)"
    )
    parser.add_argument(
        "--seconds",
        type=number_up_to(MAX_RUN_S),
        metavar="S",
        help=f"of the run (default: {MIN_ANALYSED_S:g} s or {MIN_CYCLES} cycles more than --skip)",
    )
    parser.add_argument(
        "--skip",
        type=number_up_to(MAX_RUN_S),
        default=DEFAULT_SKIP_S,
        metavar="S",
        help="time left out at the start (default: %(default)s)",
    )
    parser.add_argument("--out", metavar="DIR", help="where the files go (default: studies/gait_analysis/...)")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Analyse a run or a recording, and write the files."""
    if not 0.0 <= arguments.skip < math.inf:
        raise UserError(f"--skip {arguments.skip:g} is not allowed: give 0 s or more.")
    StopRequest(raises=True)
    settings = read_all_settings(arguments)
    try:
        analysis = (_analyse_recording if arguments.recording else _analyse_run)(arguments, settings)
    except BackendFault as fault:
        sentence = "; ".join(text.rstrip(".") for text in (str(fault), fault.remedy) if text)
        print(f"crawler: the run ended: {sentence}.", file=sys.stderr)
        return EXIT_NOT_DONE
    report = analysis.report
    result: dict[str, Any] = {"robot": analysis.robot, "gait": analysis.gait, "source": analysis.source}
    result |= report.numbers() | {"feet": report.foot_numbers(), "notes": list(analysis.notes)}
    directory = make_directory(Path(arguments.out or f"studies/gait_analysis/{analysis.label}"))
    try:
        files = report.save(directory)
    except OSError as error:
        raise UserError(f"{directory} cannot be written: {error.strerror or error}.") from None
    if arguments.json:
        print_json({**result, "files": [str(file) for file in files]})
    else:
        _print(report.title, result)
        print(f"{len(files)} files in {directory}")
    return 0


def _analyse_run(arguments: argparse.Namespace, settings: Settings) -> Analysis:
    from crawler_studies.gait_analysis.analysis import analyse_run, default_backend
    from crawler_studies.study.study_case import StudyCase, check_sections, study_sections

    case = StudyCase(arguments.robot, arguments.gait, study_sections(settings), arguments.controller)
    check_sections(settings, "pybullet", "a gait analysis")
    case.check_settings()
    spec, gait = case.at({})
    skip, seconds = arguments.skip, arguments.seconds
    if seconds is None:
        seconds = skip + max(MIN_ANALYSED_S, MIN_CYCLES * gait.period)
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


def _analyse_recording(arguments: argparse.Namespace, settings: Settings) -> Analysis:
    from crawler_studies.gait_analysis.analysis import analyse_recording

    for flag in ("backend", "controller", "seconds"):
        if getattr(arguments, flag) not in ("", None):
            raise UserError(f"--{flag} is about a run that is made here, and {arguments.recording} is a recording.")
    for section in settings:
        if section not in ("robot", "gait"):
            raise UserError(f"'{section}' settings mean nothing to a recording: give robot and gait ones.")
    return analyse_recording(Path(arguments.recording), arguments.robot, arguments.gait, settings, arguments.skip)


def _print(title: str, result: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("foot")
    for head in ("down", "meant", "mismatch", "forward\nmN s", "backward\nmN s", "drag", "pushed\nback"):
        table.add_column(head, justify="right")
    for foot, own in result["feet"].items():
        shares = [_percent(own[key]) for key in ("duty", "meant_duty", "mismatch")]
        pushes = [_text(own[key], lambda v: f"{1e3 * v:.3f}") for key in ("forward_N_s", "backward_N_s")]
        table.add_row(foot, *shares, *pushes, _percent(own["drag_share"]), _percent(own["backward_time_share"]))
    print_table(table)
    shares_by_count = enumerate(result["share_with_feet_down"])
    counts = ", ".join(f"{count}: {_percent(share)}" for count, share in shares_by_count if share >= 5e-4)
    nearest, distance = result["nearest_gait"], result["nearest_gait_distance"]
    print_lines(
        f"{result['cycles']} cycles of {result['period_s']:.4g} s",
        f"step length: {_text(result['step_length_m'], lambda v: f'{1e3 * v:.3f} mm')}, "
        f"speed: {_text(result['speed_m_s'], lambda v: f'{1e3 * v:.3f} mm/s')}, "
        f"yaw rate: {_text(result['yaw_rate_deg_s'], lambda v: f'{v:.2f}°/s')}",
        f"feet down: {result['feet_down']:.3f} on average ({counts})",
        f"drag: {_percent(result['drag_share'])}, mismatch: {_percent(result['mismatch'])}",
        *([f"nearest classical gait: {nearest}, {distance:.3f} of a cycle off"] if nearest else []),
        *(f"{note[0].upper()}{note[1:]}." for note in result["notes"]),
    )


def _text(value: float, text: Callable[[float], str]) -> str:
    return "-" if finite(value) is None else text(value)


def _percent(value: float) -> str:
    return _text(value, lambda v: f"{100.0 * v:.1f} %")
