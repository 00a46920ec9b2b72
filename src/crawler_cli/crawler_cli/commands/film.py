"""A film of a run or of a recording, as GIF or MP4, drawn without a screen."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.settings import merge
from crawler_bringup.stack.stack import Stack, make_stack
from crawler_cli.console.arguments import MAX_RUN_S, add_json, add_settings, integer, number_up_to, read_all_settings
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_cli.recordings.film_options import (
    DEFAULT_FPS,
    DEFAULT_LENGTH_S,
    DEFAULT_WIDTH_PX,
    MAX_FPS,
    MIN_PERIOD_S,
    FilmOptions,
)
from crawler_cli.run.run_watch import run_to_end
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck

HELP = """examples:
  crawler film runs/NAME                           a run that was recorded with 'crawler run --record'
  crawler film my.mcap --from 10 --to 12 --speed 0.25 --out crawl.gif
  crawler film --robot ROBOT                       a run in lockstep that is made for it
  crawler film --gait fourier --set gait.omega=8 --to 3

What is shown: the robot from its URDF, closed chains included; the way of its base; its feet coloured by what they do,
with the force of the ground on each as an arrow, of limited length where it is far above the others; time and distance
since the start of the recording; and how fast the film is beside real time. Planar robots are seen from the side,
others from a corner. The camera goes along where the robot goes far.

The suffix of --out says what is made: .gif, or .mp4 where ffmpeg is installed. A recording that was cut off is shown up
to there, and one of another maker as far as it has the ring's topics and a robot_description.

files: the film, by default beside the MCAP file; of a run that was made for it with recording and logs in
runs/film-<robot>-<backend>-<time>/

exit codes: 0 done; 1 the run that was made for it failed; 2 bad input; 130 interrupted, and no film is left

keys of --json: film, robot, begin_s, end_s, speed (beside real time), fps, frames, width, height, bytes, recording
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler film`."""
    parser.add_argument("recording", nargs="?", default="", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument(
        "--from", type=number_up_to(MAX_RUN_S), default=0.0, metavar="S", dest="begin", help="default: 0"
    )
    parser.add_argument(
        "--to",
        type=number_up_to(MAX_RUN_S),
        metavar="S",
        dest="end",
        help=f"default: for {DEFAULT_LENGTH_S:g} s of film, or to the end",
    )
    parser.add_argument(
        "--speed",
        type=number_up_to(1e3),
        metavar="F",
        help=f"times real time (default: 1, or as slow as lets a stride last {MIN_PERIOD_S:g} s)",
    )
    parser.add_argument(
        "--fps",
        type=number_up_to(MAX_FPS),
        default=DEFAULT_FPS,
        help="frames a second of film (default: %(default)g); a GIF counts in hundredths of a second",
    )
    parser.add_argument(
        "--width", type=integer, default=DEFAULT_WIDTH_PX, metavar="PIXELS", help="default: %(default)s"
    )
    parser.add_argument("--out", metavar="FILE", help="the film, .gif or .mp4; what is there is replaced")
    run = parser.add_argument_group("a run that is made for the film")
    run.add_argument("--robot", default="", help=f"which robot (default: {default_robot()})")
    run.add_argument("--gait", default="", help="the gait's name (default: the robot's)")
    run.add_argument("--controller", default="", help="the control law (default: the robot's)")
    run.add_argument("--backend", default="", help="which simulation (default: physics)")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the run where there is no recording, and the film."""
    from crawler_view.film.film_file import check_kind

    wishes(arguments)
    out = Path(arguments.out) if arguments.out else None
    if out is not None:
        check_kind(out)
    if arguments.recording:
        given = [name for name in ("robot", "gait", "controller", "backend", "params") if getattr(arguments, name)]
        if given or arguments.set:
            name = given[0] if given else "set"
            raise UserError(f"--{name} is about a run that is made here, and {arguments.recording} is a recording.")
        return _film(arguments, Path(arguments.recording), out)
    stack, directory = _stack(arguments)
    if code := run_to_end(stack, directory, quiet=arguments.json):
        return code
    return _film(arguments, directory, out or directory / "film.gif")


def wishes(arguments: argparse.Namespace) -> FilmOptions:
    """What is asked for. Raises UserError for numbers that no film has."""
    return FilmOptions(
        arguments.begin, arguments.end, arguments.speed, arguments.fps, arguments.width - arguments.width % 2
    )


def _stack(arguments: argparse.Namespace) -> tuple[Stack, Path]:
    """The run, and where it leaves its files."""
    options = Options(
        robot=arguments.robot or default_robot(),
        backend=arguments.backend,
        controller=arguments.controller,
        gait=arguments.gait,
        settings=merge(read_all_settings(arguments), {"backend": {"lockstep": True}}),
        extra_state_readers=1,
        command=shlex.join(["crawler", *sys.argv[1:]]),
    )
    with DuplicateStackCheck(options.namespace) as lookout:
        stack = make_stack(options)
        if stack.note:
            print(stack.note, file=sys.stderr)
        directory = Path(f"runs/film-{stack.spec.name}-{stack.options.backend}-{datetime.now():%Y%m%d-%H%M%S}")
        end = wishes(arguments).sample_times(stack)[1]
        stack = make_stack(replace(options, duration=end, record=str((directory / "recording").resolve())))
        lookout.raise_if_duplicate("wait until it has ended")
    return stack, directory


def _film(arguments: argparse.Namespace, path: Path, file: Path | None) -> int:
    from crawler_cli.recordings.film_frames import make_film

    StopRequest(raises=True)
    result = make_film(path, file, wishes(arguments), quiet=arguments.json)
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        print(f"film: {result['film']}, {result['frames']} frames, {1e-6 * result['bytes']:.2f} MB")
    return 0
