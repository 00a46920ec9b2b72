"""Run a stack for an hour, check memory, late ticks and messages, kill all of it at once and read the recording."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import datetime
from pathlib import Path

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_cli.console.arguments import add_json
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot, robot_names
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.fixtures.run_config import RunConfig
from sim_bridge.physics.engines import default_physics

DEFAULT_RATE_HZ = 200.0
DEFAULT_MINUTES, DEFAULT_WARMUP_MINUTES = 60.0, 5.0
MAX_MINUTES = 1e5
HELP_TEXT = """  makes   soak.json, memory.png, and run/ with logs and a recording
  where   runs/soak-<robot>-<backend>-<time>/, or --out DIR
  time    an hour, or --minutes

examples:
  crawler soak                                an hour of the default robot in physics at 200 Hz
  crawler soak --backend mock --minutes 10
  crawler soak --backend emulated --json

The run is `crawler run --record`. At its end every process gets SIGKILL at once, so that the
recording shows what a power cut leaves. Memory is private memory, without mapped files.

exit codes: 0 all within the bounds, 1 something is not (one sentence each), 2 bad input,
  130 interrupted

keys of --json: ok, robot, backend, rate, duration_s, run_s, ticks, late_ticks, overruns, received
  and missed (messages, by topic), memory_MB and growth_MB (by process; growth since the warm-up),
  recorded, not_recorded, recorder_reported, recording_holds, recording_lacks_s, troubles,
  problems, directory
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robot", default=default_robot(), help=f"one of {', '.join(robot_names())}, or a robot.yaml")
    parser.add_argument("--backend", default="", help=f"one of {', '.join(BACKENDS)} (default: physics)")
    parser.add_argument(
        "--minutes", type=float, default=DEFAULT_MINUTES, help="duration in wall time (default: %(default)g)"
    )
    parser.add_argument(
        "--rate", type=float, default=DEFAULT_RATE_HZ, metavar="HZ", help="ticks per second (default: %(default)g)"
    )
    parser.add_argument(
        "--warmup",
        type=float,
        default=DEFAULT_WARMUP_MINUTES,
        metavar="MINUTES",
        help="time after which memory must not grow; not checked in a shorter run (default: %(default)g)",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.NAME=VALUE", help="a parameter, as for `crawler run`"
    )
    parser.add_argument("--domain", type=int, help="ROS domain of the run (default: an unused one)")
    parser.add_argument("--out", metavar="DIR", help="new directory for the files (default: runs/...)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the soak, report its problems and plot its memory."""
    from crawler_testing.soak.soak_run import SoakRunConfig, run_soak

    if not 0.0 < arguments.minutes <= MAX_MINUTES:
        raise UserError(f"--minutes {arguments.minutes:g} is not allowed: it must be more than 0, and 1e5 at most.")
    if not 0.0 <= arguments.warmup <= MAX_MINUTES:
        raise UserError(f"--warmup {arguments.warmup:g} is not allowed: it must be 0 to 1e5 minutes.")
    backend = arguments.backend or default_physics()
    name = f"soak-{Path(arguments.robot).stem}-{backend}-{datetime.now():%Y%m%d-%H%M%S}"
    directory = Path(arguments.out or f"runs/{name}")
    if directory.exists():
        raise UserError(f"{directory} exists already, and nothing is overwritten: give another name with --out.")
    domain = free_domain_id() if arguments.domain is None else arguments.domain
    os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    run_config = RunConfig(
        robot=arguments.robot,
        settings=(f"backend.rate={arguments.rate:g}", *arguments.set),
        out=str((directory / "run").resolve()),
    )
    seconds, warmup = 60.0 * arguments.minutes, 60.0 * arguments.warmup
    config = SoakRunConfig(run_config, backend, domain, arguments.rate, seconds, warmup)
    directory.mkdir(parents=True)
    result, memory = run_soak(
        config, lambda text: print(text, file=sys.stderr, flush=True), StopRequest(raises=False).check
    )
    found = {**finite(result.as_json()), "directory": str(directory)}
    (directory / "soak.json").write_text(json.dumps(found, indent=2) + "\n")
    memory.plot(f"{result.robot} on {backend} at {arguments.rate:g} Hz", warmup, directory / "memory.png")
    if arguments.json:
        print(json.dumps(found))
    else:
        print(
            f"{result.duration_s / 60.0:.1f} min, {result.ticks} ticks, {result.late_ticks} late; missed "
            f"{sum(result.missed.values())} of {sum(result.received.values())} messages; "
            f"{result.growth_summary}; the recording lacks {result.recording_lacks_s:.2f} s\nfiles: {directory}"
        )
    for problem in result.problems:
        print(f"crawler: {problem}", file=sys.stderr)
    if any(trouble.startswith("interrupted") for trouble in result.troubles):
        return EXIT_INTERRUPTED
    return int(bool(result.problems))
