"""Measure the speed of the stack on this machine, each beside what limits it."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast

from crawler_cli.console.arguments import MAX_RUN_S, add_json, integer, number_up_to
from crawler_core.errors import UserError, unknown_name

PARTS = {
    "loop": "crawler_testing.bench.control_loop",
    "python": "crawler_testing.bench.three_link.in_process",
    "page": "crawler_testing.bench.page",
    "engines": "crawler_testing.bench.three_link.engines",
    "gaits": "crawler_testing.bench.three_link.gaits",
    "tuning": "crawler_testing.bench.three_link.tuning_curves",
    "leaps": "crawler_testing.bench.bolt.hybrid_run",
    "walk": "crawler_testing.bench.miniaq.walk",
    "motors": "crawler_testing.bench.motors",
    "board": "crawler_testing.bench.board",
    "bus-faults": "crawler_testing.bench.bus_faults",
}
TABLE_PART = "bus-faults"  # whose table --write writes
DEFAULT_SECONDS, DEFAULT_ROUNDS = 4.0, 3
HELP_TEXT = """  makes   a table of speeds on this machine, beside what limits them
  where   on the terminal; the plot of the tuning goes to studies/
  time    about nine minutes; less with --only

examples:
  crawler bench
  crawler bench --only gaits
  crawler bench --only bus-faults --write docs/hardware.md

keys of --json, medians over the rounds where it has rounds:
loop: bare_round_trips_per_s, bare_round_trip_p50_us and _p99_us (one JointState each way between
  two processes), <backend>_lockstep_ticks_per_s (the whole control loop at 500 Hz),
  <backend>_lockstep_over_bare, <backend>_alone_ticks_per_s (the backend in a plain loop),
  state_to_command_p50_us and _p99_us, echo_question_to_answer_p50_us and _p99_us (at 200 Hz in
  real time), first_state_s, first_motion_s, memory_MB (by process), ticks, late_ticks, overruns
python, for model and each engine at 500 Hz, in ticks: python_<backend>_steps_per_s (Robot.step),
  python_<backend>_run_per_s (with gait and law), python_<backend>_environment_per_s (Gymnasium,
  where it is installed), python_<backend>_alone_per_s (the backend in a plain loop),
  python_<engine>_world_per_s (steps of the engine alone), python_<engine>_steps_per_tick,
  python_<backend>_nodes_per_s (the control loop of nodes in lockstep)
page: page_closed_p50_us and _p99_us, page_open_p50_us and _p99_us (state to command at 200 Hz,
  without and with a page that a browser reads), page_open_over_closed_p50 and _p99,
  page_open_frames_per_s
engines, for each that is installed: <engine>_world_steps_per_s (its world alone),
  <engine>_ticks_per_s (its backend at 500 Hz without ROS), <engine>_physics_rate_hz,
  <engine>_largest_error_mm (of four steps), <engine>_swept_gaits_per_s (with `workers` processes)
gaits: map_gaits, map_ms, gaits_per_s (steady gaits over psi and omega, with tables and validity),
  map_first_s (first map of the process, with compilation or its cache),
  solve_ivp_gaits_per_s, <engine>_gaits_per_s, map_over_solve_ivp, map_over_<engine>,
  solve_ivp_largest_difference_mm, <engine>_largest_difference_mm (from the map),
  map_checked, map_largest_error_mm, map_median_error_mm, map_flags_that_differ (from the plain
  solver), and the same with random_ for random robots and gaits
tuning: tuning (by problem: seeds, reached, optimum_mm, ...), tuning_picture
leaps: leaps, leaps_first_s, leaps_compiled_ms, leaps_scipy_s, leaps_compiled_over_scipy,
  leaps_*_error_mm (of the last position), leaps_*_open_mm (largest constraint error)
walk: walk_compiled_ms, walk_lsoda_ms, walk_bdf_ms, walk_*_error_um (five seconds of trot at rtol
  1e-6), walk_compiled_over_lsoda, walk_compiled_over_bdf, walk_first_s, walk_plant_tick_us
motors: bus_servos, bus_baud, bus_wire_limit_ms, bus_software_cycle_*, bus_timed_cycle_* (of an
  emulated bus), loop_rate_hz, loop_cycles, loop_jitter_p50_us and _p99_us, loop_worst_us
board: board_motors, board_1M_wire_limit_ms, board_1M_cycle_*, the same for 3M,
  board_software_cycle_* (of an emulated board), firmware_ticks, firmware_late_*,
  firmware_pass_*, firmware_cycle_* (of the firmware as a process)
bus-faults: bus_faults_runs (of each row, with seeds 0, 1, ...), bus_faults (rows: bus, disturbance,
  amount, stopped, fault_after_s, torque_off_after_s, torque_left_on, stated_s, largest_error_deg;
  the times are the longest, from the begin of the disturbance, in virtual time)
"""


class Part(Protocol):
    """Module of one part of the benchmark."""

    def measure(self, seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
        """Return the results by key."""

    def add_rows(self, table: Any, result: dict[str, Any]) -> None:
        """Add the results to a rich table of four columns."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", metavar="PART,...", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument(
        "--seconds",
        type=number_up_to(MAX_RUN_S),
        default=DEFAULT_SECONDS,
        help="of each measurement of the control loop (default: %(default)s)",
    )
    parser.add_argument(
        "--rounds", type=integer, default=DEFAULT_ROUNDS, help="of each comparison (default: %(default)s)"
    )
    parser.add_argument(
        "--write", metavar="FILE", help=f"write the table of {TABLE_PART} into this page, between its marks"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure the parts and print their results."""
    if not 2.0 <= arguments.seconds <= 600.0:
        raise UserError(f"--seconds {arguments.seconds:g} is not allowed: it must be 2 to 600.")
    if not 1 <= arguments.rounds <= 100:
        raise UserError(f"--rounds {arguments.rounds} is not allowed: it must be 1 to 100.")
    names = list(PARTS) if arguments.only is None else [word.strip() for word in arguments.only.split(",")]
    if arguments.write and TABLE_PART not in names:
        raise UserError(f"--write writes the table of {TABLE_PART}: add {TABLE_PART} to --only.")
    parts = [_load_part(name) for name in names]
    result: dict[str, Any] = {}
    for part in parts:
        result |= part.measure(
            arguments.seconds, arguments.rounds, lambda text: print(text, file=sys.stderr, flush=True)
        )
    if arguments.write:
        importlib.import_module(PARTS[TABLE_PART]).write_table(Path(arguments.write), result)
    if arguments.json:
        print(json.dumps(result))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(title="crawler bench", title_justify="left")
    for column in ("", "here", "beside", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    for part in parts:
        part.add_rows(table, result)
    Console().print(table)
    return 0


def _load_part(name: str) -> Part:
    if name == "ring":
        raise UserError("--only ring has another name now: --only loop.")
    if name not in PARTS:
        raise unknown_name("part of the benchmark", name, PARTS)
    return cast(Part, importlib.import_module(PARTS[name]))
