"""How fast the stack is on this machine, beside what bounds it, in turns: the ring, its page, maps, tuning, motors."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from crawler_cli.console.arguments import MAX_RUN_S, add_json, integer, number_up_to
from crawler_core.errors import UserError
from crawler_core.registry import LazyRegistry
from crawler_testing.bench.benchmark_part import Part

PARTS: LazyRegistry[Part] = LazyRegistry(
    "part of the benchmark",
    {
        "ring": "crawler_testing.bench.control_loop:PART",
        "page": "crawler_testing.bench.page:PART",
        "engines": "crawler_testing.bench.three_link.engines:PART",
        "gaits": "crawler_testing.bench.three_link.gaits:PART",
        "tuning": "crawler_testing.bench.three_link.tuning:PART",
        "leaps": "crawler_testing.bench.bolt.hybrid_run:PART",
        "walk": "crawler_testing.bench.miniaq.walk:PART",
        "motors": "crawler_testing.bench.motors:PART",
        "board": "crawler_testing.bench.board:PART",
    },
)
HELP = """  makes   a table of speeds on this machine, beside what limits them
  where   on the terminal; the curves of the tuning go to studies/
  time    some seven minutes; less with --only

examples:
  crawler bench
  crawler bench --only gaits

keys of --json of the ring (medians over the rounds):
  bare_round_trips_per_s, bare_round_trip_p50_us, bare_round_trip_p99_us   one JointState each way, two processes
  <backend>_lockstep_ticks_per_s, <backend>_lockstep_over_bare             the whole ring at 500 Hz
  <backend>_alone_ticks_per_s                                              the same backend in a plain loop
  state_to_command_p50_us, _p99_us beside echo_question_to_answer_p50_us, _p99_us   at 200 Hz in real time
  first_state_s, first_motion_s, memory_MB (per process), ticks, late_ticks, overruns
of the page: page_closed_p50_us, _p99_us beside page_open_p50_us, _p99_us (state to command at 200 Hz, without a page
  and with one that a browser reads), page_open_over_closed_p50, _p99, page_open_frames_per_s
of the engines, each for those that are installed: <engine>_world_steps_per_s (its world alone), <engine>_ticks_per_s
  (its backend, at 500 Hz without ROS), <engine>_physics_rate_hz, <engine>_largest_error_mm (of four steps),
  <engine>_swept_gaits_per_s (a sweep in `workers` processes)
of the gaits:
  map_gaits, map_ms, gaits_per_s            steady gaits over psi and omega, with tables and validity flags
  map_first_s                               the first map of this process: it compiles, or loads what is compiled
  solve_ivp_gaits_per_s, <engine>_gaits_per_s, map_over_solve_ivp, map_over_<engine>     gaits of the same map
  solve_ivp_largest_difference_mm, <engine>_largest_difference_mm                        from the map, of those gaits
  map_checked, map_largest_error_mm, map_median_error_mm, map_flags_that_differ          against the plain solver
  random_checked, random_largest_error_mm, random_median_error_mm, random_flags_that_differ
of the tuning: tuning (by problem: seeds, reached, optimum_mm, ...), tuning_picture
of the walk: walk_compiled_ms, walk_lsoda_ms, walk_bdf_ms and walk_*_error_um of five seconds of trot at rtol 1e-6,
  walk_compiled_over_lsoda, walk_compiled_over_bdf, walk_first_s, walk_plant_tick_us
of the motors: bus_servos, bus_baud, bus_wire_limit_ms, bus_software_cycle_*, bus_timed_cycle_* of an emulated bus,
  loop_rate_hz, loop_cycles, loop_jitter_p50_us, loop_jitter_p99_us, loop_worst_us
of the board: board_motors, board_1M_wire_limit_ms, board_1M_cycle_*, the same for 3M, and board_software_cycle_* of an
  emulated one; firmware_ticks, firmware_late_*, firmware_pass_*, firmware_cycle_* of the firmware as a process
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler bench`."""
    parser.add_argument(
        "--only", metavar="PART,...", help=f"only these parts of {', '.join(PARTS)} (default: all, some seven minutes)"
    )
    parser.add_argument(
        "--seconds",
        type=number_up_to(MAX_RUN_S),
        default=4.0,
        help="of each measurement of the ring (default: %(default)s)",
    )
    parser.add_argument("--rounds", type=integer, default=3, help="of each comparison (default: %(default)s)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    if not 2.0 <= arguments.seconds <= 600.0 or not 1 <= arguments.rounds <= 100:
        raise UserError("--seconds must be 2 to 600 and --rounds 1 to 100.")
    names = list(PARTS) if arguments.only is None else [word.strip() for word in arguments.only.split(",")]
    chosen = [PARTS[name] for name in names]

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    result: dict[str, Any] = {}
    for part in chosen:
        result |= part.measure(arguments.seconds, arguments.rounds, say)
    if arguments.json:
        print(json.dumps(result))
        return 0
    from rich.console import Console
    from rich.table import LazyRegistry as Printed

    table = Printed(title="crawler bench", title_justify="left")
    for column in ("", "here", "beside", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    for part in chosen:
        part.add_rows(table, result)
    Console().print(table)
    return 0
