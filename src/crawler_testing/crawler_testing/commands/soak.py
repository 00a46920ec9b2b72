"""Let a ring run for an hour, watch memory, late ticks and messages, kill all of it at once and read the recording."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import datetime
from pathlib import Path

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_cli.console.arguments import add_json
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot, robot_names
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.faults.fault_kind import RunConfig
from sim_bridge.physics.engines import default_physics

RATE = 200.0  # Hz
WARMUP_MIN = 5.0  # min
HELP = """examples:
  crawler soak                                an hour of the default robot in physics at 200 Hz
  crawler soak --backend mock --minutes 10
  crawler soak --backend emulated --set backend.patience=0.5 --json

The run is `crawler run --record`; at the end every process of it is killed with SIGKILL at once, so that the recording
shows what a power cut leaves. Memory is what a process has made its own: without the files that it maps.

files: soak.json, memory.png, run/ (logs and recording), by default in runs/soak-<robot>-<backend>-<time>/

exit codes: 0 all is as it must be, 1 something is not (said in a sentence), 2 bad input, 130 interrupted

keys of --json: ok, robot, backend, rate, duration_s, run_s, ticks, late_ticks, overruns, heard and missed (messages, by
topic), memory_MB and growth_MB (by process; growth since it settled), recorded, not_recorded, recorder_said,
recording_holds, recording_lacks_s, troubles, problems, directory
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler soak`."""
    parser.add_argument("--robot", default=default_robot(), help=f"one of {', '.join(robot_names())}, or a robot.yaml")
    parser.add_argument("--backend", default="", help=f"one of {', '.join(BACKENDS)} (default: physics)")
    parser.add_argument("--minutes", type=float, default=60.0, help="of wall time (default: %(default)g)")
    parser.add_argument(
        "--rate", type=float, default=RATE, metavar="HZ", help="ticks per second (default: %(default)g)"
    )
    parser.add_argument(
        "--warmup",
        type=float,
        default=WARMUP_MIN,
        metavar="MINUTES",
        help="after which memory has to be flat; a shorter soak does not judge it (default: %(default)g)",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.NAME=VALUE", help="a parameter, as of `crawler run`"
    )
    parser.add_argument("--domain", type=int, help="ROS domain (default: one in which nobody else is)")
    parser.add_argument("--out", metavar="DIR", help="where the files go (default: runs/...); must not exist yet")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Soak, judge, draw."""
    from crawler_testing.soak.memory_plot import draw_memory
    from crawler_testing.soak.soak_run import Soak, soak

    if not 0.0 < arguments.minutes <= 1e5 or not 0.0 <= arguments.warmup <= 1e5:
        raise UserError("--minutes must be more than 0, and --warmup 0 or more.")
    backend = arguments.backend or default_physics()
    directory = Path(arguments.out or _default(arguments.robot, backend))
    if directory.exists():
        raise UserError(f"{directory} exists already: give a new name with --out, nothing is overwritten.")
    domain = free_domain_id() if arguments.domain is None else arguments.domain
    os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    stage = RunConfig(
        robot=arguments.robot,
        sets=(f"backend.rate={arguments.rate:g}", *arguments.set),
        out=str((directory / "run").resolve()),
    )
    wanted = Soak(stage, backend, domain, arguments.rate, 60.0 * arguments.minutes, 60.0 * arguments.warmup)
    directory.mkdir(parents=True)
    asked = StopRequest(raises=False)
    result, memory = soak(wanted, directory, lambda text: print(text, file=sys.stderr, flush=True), asked.check)
    found = {**finite(result.as_json()), "directory": str(directory)}
    (directory / "soak.json").write_text(json.dumps(found, indent=2) + "\n")
    draw_memory(
        memory, f"{result.robot} on {backend} at {arguments.rate:g} Hz", wanted.settles, directory / "memory.png"
    )
    if arguments.json:
        print(json.dumps(found))
    else:
        print(
            f"{result.duration_s / 60.0:.1f} min, {result.ticks} ticks, {result.late_ticks} late; missed "
            f"{sum(result.missed.values())} of {sum(result.heard.values())} messages; "
            f"{result.grown}; the recording lacks {result.recording_lacks_s:.2f} s\neverything: {directory}"
        )
    for problem in result.problems:
        print(f"crawler: {problem}", file=sys.stderr)
    if any(trouble.startswith("interrupted") for trouble in result.troubles):
        return 130
    return int(bool(result.problems))


def _default(robot: str, backend: str) -> str:
    return f"runs/soak-{Path(robot).stem}-{backend}-{datetime.now():%Y%m%d-%H%M%S}"
