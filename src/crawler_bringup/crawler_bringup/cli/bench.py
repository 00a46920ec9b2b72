"""How fast the ring is on this machine, beside bare rclpy and beside the physics alone, measured in turns."""

from __future__ import annotations

import argparse
import json
import sys

from crawler_bringup.cli.arguments import add_json
from crawler_core.errors import UserError

EPILOG = """keys of --json (medians over the rounds):
  bare_round_trips_per_s, bare_round_trip_p50_us, bare_round_trip_p99_us   one JointState each way, two processes
  <backend>_lockstep_ticks_per_s, <backend>_lockstep_over_bare             the whole ring at 500 Hz
  <backend>_alone_ticks_per_s                                              the same backend in a plain loop
  state_to_command_p50_us, _p99_us beside echo_question_to_answer_p50_us, _p99_us   at 200 Hz in real time
  first_state_s, first_motion_s, memory_MB (per process), ticks, late_ticks, overruns
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler bench`."""
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="of each comparison (default: %(default)s)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    if not 2.0 <= arguments.seconds <= 600.0 or not 1 <= arguments.rounds <= 100:
        raise UserError("--seconds must be 2 to 600 and --rounds 1 to 100.")
    from crawler_bringup.bench.ring import everything

    result = everything(arguments.seconds, arguments.rounds, lambda text: print(text, file=sys.stderr, flush=True))
    if arguments.json:
        print(json.dumps(result))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(title="crawler bench", title_justify="left")
    for column in ("", "here", "beside", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    trips = result["bare_round_trips_per_s"]
    for backend in ("model", "pybullet"):
        ticks, alone = result[f"{backend}_lockstep_ticks_per_s"], result[f"{backend}_alone_ticks_per_s"]
        table.add_row(
            f"{backend} ring, lockstep", f"{ticks:.0f} ticks/s", f"bare ping-pong {trips:.0f}/s", f"{ticks / trips:.2f}"
        )
        table.add_row("", "", f"{backend} alone {alone:.0f}/s", f"{ticks / alone:.2f}")
    for p in ("p50", "p99"):
        ring, echo = result[f"state_to_command_{p}_us"], result[f"echo_question_to_answer_{p}_us"]
        table.add_row(f"state to command, {p}", f"{ring:.0f} us", f"bare echo {echo:.0f} us", f"{ring / echo:.2f}")
    table.add_row(
        "bare round trip, p50 and p99",
        "",
        f"{result['bare_round_trip_p50_us']:.0f}, {result['bare_round_trip_p99_us']:.0f} us",
        "",
    )
    table.add_row("start to first state", f"{result['first_state_s']:.2f} s", "", "")
    table.add_row("start to first motion", f"{result['first_motion_s']:.2f} s", "", "")
    for name, megabytes in result["memory_MB"].items():
        table.add_row(f"memory of {name}", f"{megabytes:.0f} MB", "", "")
    table.add_row(
        "paced at 200 Hz", f"{result['ticks']} ticks", f"{result['late_ticks']} late, {result['overruns']} overrun", ""
    )
    Console().print(table)
    return 0
