"""How fast the stack is on this machine, beside what bounds it, measured in turns: the ring, gait maps, and tuning."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from crawler_bringup.cli.arguments import add_json
from crawler_core.errors import UserError, unknown_name

PARTS = ("ring", "gaits")
EPILOG = """examples:
  crawler bench
  crawler bench --only gaits

keys of --json of the ring (medians over the rounds):
  bare_round_trips_per_s, bare_round_trip_p50_us, bare_round_trip_p99_us   one JointState each way, two processes
  <backend>_lockstep_ticks_per_s, <backend>_lockstep_over_bare             the whole ring at 500 Hz
  <backend>_alone_ticks_per_s                                              the same backend in a plain loop
  state_to_command_p50_us, _p99_us beside echo_question_to_answer_p50_us, _p99_us   at 200 Hz in real time
  first_state_s, first_motion_s, memory_MB (per process), ticks, late_ticks, overruns
of the gaits:
  map_gaits, map_ms, gaits_per_s            steady three-link gaits over psi and omega, with tables and validity flags
  map_first_s                               the first map of this process: it compiles, or loads what is compiled
  solve_ivp_gaits_per_s, pybullet_gaits_per_s, map_over_solve_ivp, map_over_pybullet     gaits of the same map
  solve_ivp_largest_difference_mm, pybullet_largest_difference_mm                        from the map, of those gaits
  map_checked, map_largest_error_mm, map_median_error_mm, map_flags_that_differ          against the plain solver
  random_checked, random_largest_error_mm, random_median_error_mm, random_flags_that_differ
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler bench`."""
    parser.add_argument(
        "--only", metavar="PART,...", help=f"only these parts of {', '.join(PARTS)} (default: all, about four minutes)"
    )
    parser.add_argument(
        "--seconds", type=float, default=4.0, help="of each measurement of the ring (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of each comparison (default: %(default)s)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    if not 2.0 <= arguments.seconds <= 600.0 or not 1 <= arguments.rounds <= 100:
        raise UserError("--seconds must be 2 to 600 and --rounds 1 to 100.")
    parts = PARTS if arguments.only is None else tuple(word.strip() for word in arguments.only.split(","))
    for part in parts:
        if part not in PARTS:
            raise unknown_name("part of the benchmark", part, PARTS)

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    result: dict[str, Any] = {}
    if "ring" in parts:
        from crawler_bringup.bench import ring

        result |= ring.everything(arguments.seconds, arguments.rounds, say)
    if "gaits" in parts:
        from crawler_bringup.bench import gaits

        result |= gaits.everything(arguments.rounds, say)
    if arguments.json:
        print(json.dumps(result))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(title="crawler bench", title_justify="left")
    for column in ("", "here", "beside", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    if "ring" in parts:
        _add_ring(table, result)
    if "gaits" in parts:
        _add_gaits(table, result)
    Console().print(table)
    return 0


def _add_ring(table: Any, result: dict[str, Any]) -> None:
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


def _add_gaits(table: Any, result: dict[str, Any]) -> None:
    rate = result["gaits_per_s"]
    table.add_row(f"map of {result['map_gaits']} gaits", f"{result['map_ms']:.1f} ms", "", "")
    for name, label in (("solve_ivp", "scipy solve_ivp"), ("pybullet", "PyBullet")):
        table.add_row(
            "gaits per second" if name == "solve_ivp" else "",
            f"{rate:.0f}/s",
            f"{label} {result[f'{name}_gaits_per_s']:.2f}/s",
            f"{result[f'map_over_{name}']:.2g}",
        )
        table.add_row("", "", f"differs by up to {result[f'{name}_largest_difference_mm']:.2g} mm", "")
    for name, label in (("map", "the whole map"), ("random", "random gaits")):
        table.add_row(
            f"largest error, {label} ({result[f'{name}_checked']})",
            f"{result[f'{name}_largest_error_mm']:.1g} mm",
            f"median {result[f'{name}_median_error_mm']:.1g} mm",
            f"{result[f'{name}_flags_that_differ']} flags differ",
        )
    table.add_row("first map of the process", f"{result['map_first_s']:.2f} s", "", "")
