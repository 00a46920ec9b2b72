"""Make a film of a run or of a recording, as GIF or MP4, without a screen."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.settings import merge
from crawler_bringup.stack.stack import Stack, make_stack
from crawler_cli.console.arguments import (
    MAX_RUN_S,
    add_gait_and_law,
    add_json,
    add_settings,
    integer,
    number_up_to,
    read_all_settings,
)
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import print_json
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

HELP_TEXT = """
  makes   a film: .gif, or .mp4 where ffmpeg is installed
  where   beside the MCAP file, or --out FILE; a run made for it goes to
          runs/film-<robot>-<backend>-<time>/
  time    some ten seconds for 5 s of film, and the run in lockstep

The film shows the robot from its URDF with closed chains, the path of its base, and its feet coloured by contact mode.
The ground's force on each foot is an arrow, limited in length where one is far above the others. Time and distance
count from the start of the recording, and the speed is given beside real time. Planar robots are seen from the side,
others from a corner. The camera follows a robot that goes far.

A recording that was cut off is shown up to there. One from another program is shown as far as it has the stack's
topics and a robot_description.

examples:
  crawler film runs/NAME                  a run recorded with 'crawler run --record'
  crawler film my.mcap --from 10 --to 12 --speed 0.25 --out crawl.gif
  crawler film --robot ROBOT              a run in lockstep, made for the film
  crawler film --gait fourier --set gait.omega=8 --to 3

exit codes: 0 done; 1 the run made for the film failed; 2 bad input; 130 interrupted, no film left

keys of --json: film, robot, begin_s, end_s, speed (times real time), fps, frames, width, height, bytes, recording
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    length = f"{DEFAULT_LENGTH_S:g} s of film"
    parser.add_argument("recording", nargs="?", default="", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument(
        "--from", type=number_up_to(MAX_RUN_S), default=0.0, metavar="S", dest="begin", help="default: 0"
    )
    parser.add_argument(
        "--to", type=number_up_to(MAX_RUN_S), metavar="S", dest="end", help=f"default: {length}, or to the end"
    )
    parser.add_argument(
        "--speed",
        type=number_up_to(1e3),
        metavar="F",
        help=f"times real time (default: 1, or slow enough for a stride to last {MIN_PERIOD_S:g} s)",
    )
    parser.add_argument(
        "--fps",
        type=number_up_to(MAX_FPS),
        default=DEFAULT_FPS,
        help="frames per second of film (default: %(default)g); a GIF counts in hundredths of a second",
    )
    parser.add_argument(
        "--width", type=integer, default=DEFAULT_WIDTH_PX, metavar="PIXELS", help="default: %(default)s"
    )
    parser.add_argument("--out", metavar="FILE", help="the film, .gif or .mp4; an existing one is replaced")
    parser.add_argument(
        "--robot",
        default="",
        help=f"of the run made for the film (default: {default_robot()}), or the recording's robot.yaml, if its robot "
        "is not an installed one",
    )
    run = parser.add_argument_group("a run made for the film")
    add_gait_and_law(run)
    run.add_argument("--backend", default="", help="which simulation (default: physics)")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the robot if no recording is given, and make the film."""
    from crawler_view.film.film_file import check_kind

    options = film_options(arguments)
    out = Path(arguments.out) if arguments.out else None
    if out is not None:
        check_kind(out)
    if arguments.recording:
        given = [name for name in ("gait", "controller", "backend", "params") if getattr(arguments, name)]
        if given or arguments.set:
            name = given[0] if given else "set"
            raise UserError(f"--{name} is about a run that is made here, and {arguments.recording} is a recording.")
        return _film(Path(arguments.recording), out, options, arguments.robot, arguments.json)
    stack, directory = _prepare_run(arguments, options)
    if code := run_to_end(stack, directory, quiet=arguments.json):
        return code
    return _film(directory, out or directory / "film.gif", options, stack.options.robot, arguments.json)


def film_options(arguments: argparse.Namespace) -> FilmOptions:
    """Return the options of the film. Raises UserError for values out of range."""
    even_width = arguments.width - arguments.width % 2
    return FilmOptions(arguments.begin, arguments.end, arguments.speed, arguments.fps, even_width)


def _prepare_run(arguments: argparse.Namespace, film: FilmOptions) -> tuple[Stack, Path]:
    """Return the stack of a recorded run in lockstep, and the directory of its files."""
    options = Options(
        robot=arguments.robot or default_robot(),
        backend=arguments.backend,
        controller=arguments.controller,
        gait=arguments.gait,
        settings=merge(read_all_settings(arguments), {"backend": {"lockstep": True}}),
        extra_state_readers=1,
        command=shlex.join(["crawler", *sys.argv[1:]]),
    )
    with DuplicateStackCheck(options.namespace) as duplicates:
        stack = make_stack(options)
        if stack.note:
            print(stack.note, file=sys.stderr)
        directory = Path(f"runs/film-{stack.spec.name}-{stack.options.backend}-{datetime.now():%Y%m%d-%H%M%S}")
        _, end, _ = film.sample_times(stack)
        stack = make_stack(replace(options, duration=end, record=str((directory / "recording").resolve())))
        duplicates.raise_if_duplicate("wait until it has ended")
    return stack, directory


def _film(path: Path, file: Path | None, options: FilmOptions, robot: str, as_json: bool) -> int:
    from crawler_cli.recordings.film_frames import make_film

    StopRequest(raises=True)
    result = make_film(path, file, options, quiet=as_json, robot=robot)
    if as_json:
        print_json(result)
    else:
        print(f"film: {result['film']}, {result['frames']} frames, {1e-6 * result['bytes']:.2f} MB")
    return 0
