"""Run robots beside busy loops, and compare each run with that on the idle machine."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from crawler_cli.console.arguments import add_json, integer, number_up_to
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE
from crawler_cli.console.interruption import StopRequest
from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.fixtures.run_config import ALL_BACKENDS
from crawler_testing.load.load_report import CaseOutcome, counts, describe, describe_idle, table
from crawler_testing.load.load_run import PACES, LoadCase, LoadRun, compare_runs, load_cases, run_case
from crawler_testing.marked_page import write_between_marks
from sim_bridge.physics.engines import ENGINES, installed_engines

DEFAULT_BUSY, DEFAULT_SECONDS = (2, 4, 8), 1.0
MAX_BUSY, MAX_SECONDS, MAX_ROUNDS = 256, 600.0, 100
HELP_TEXT = """  makes   a table: what busy loops change in the runs of each robot on each backend
  where   on the terminal; with --write also in a file
  time    about ten minutes on two idle cores; less with --robot, --backend, --only or --busy

examples:
  crawler load
  crawler load --backend emulated --busy 4 --rounds 5
  crawler load --backend mock --seconds 10
  crawler load --write docs/reliability.md

A busy loop is a process that computes without end. The command starts and ends them itself, for
each run. The first run of each robot and backend has none, and the others are compared with it:
all joint angles and the distance. Simulations wait for their commands, so their runs must be
equal to the bit, only later. In real time, and where a paced simulation has waited in vain, joints
may be off by their fastest motion within the late ticks, and two more in real time; or the run must
report itself as invalid. Lockstep runs beside the most loops only.

exit codes: 0 all as they must be, 1 some are not, 2 bad input, 130 interrupted (the results so
  far are printed)

keys of --json: seconds, cores, counts (runs beside loops, by verdict), outcomes (of each: ok,
  robot, backend, pace, idle and loaded: busy, distance in m, ticks, late_ticks,
  real_time_factor, start_up in s, fault, why_invalid, last_angles; of loaded also ok, verdict
  (equal, within tolerance, invalid, not compared, differs, fault), text, difference and
  tolerance in rad)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robot", default="", metavar="NAME,...", help="only these (default: all)")
    parser.add_argument(
        "--backend", default="", metavar="NAME,...", help=f"of {', '.join(ALL_BACKENDS)} (default: all)"
    )
    parser.add_argument("--only", choices=PACES, help="only paced or only lockstep runs")
    levels = ",".join(map(str, DEFAULT_BUSY))
    parser.add_argument(
        "--busy", default="", metavar="N,...", help=f"numbers of busy loops, besides none (default: {levels})"
    )
    parser.add_argument(
        "--seconds",
        type=number_up_to(MAX_SECONDS),
        default=DEFAULT_SECONDS,
        help="of each run's own time (default: %(default)s)",
    )
    parser.add_argument(
        "--rounds", type=integer, default=1, help="runs for each number of loops (default: %(default)s)"
    )
    parser.add_argument("--domain", type=int, help="ROS domain of the runs (default: an unused one)")
    parser.add_argument("--write", metavar="FILE", help="write the table between the marks of this page")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run all cases and report what differs."""
    cases, levels = _cases(arguments), _levels(arguments.busy)
    if not 0.1 <= arguments.seconds <= MAX_SECONDS:
        raise UserError(f"--seconds {arguments.seconds:g} is not allowed: it must be 0.1 to {MAX_SECONDS:g}.")
    if not 1 <= arguments.rounds <= MAX_ROUNDS:
        raise UserError(f"--rounds {arguments.rounds} is not allowed: it must be 1 to {MAX_ROUNDS}.")
    domain = free_domain_id() if arguments.domain is None else arguments.domain
    os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    outcomes: list[CaseOutcome] = []
    begin, other_load, code = time.monotonic(), os.getloadavg()[0], 0
    try:
        for count, case in enumerate(cases, 1):
            _log(f"{count} of {len(cases)}: {case}")
            _run_all(case, levels, arguments, outcomes)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    seconds = time.monotonic() - begin
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts(outcomes).items()) or "none"
    summary = (
        f"`./crawler load`, {os.cpu_count()} cores, {seconds / 60.0:.0f} min, {arguments.seconds:g} s of each run, "
        f"load of the machine before: {other_load:.1f}. Runs beside loops: {verdicts}."
    )
    if arguments.write:
        write_between_marks(Path(arguments.write), "load", table(outcomes, summary))
    if arguments.json:
        found = {"seconds": seconds, "cores": os.cpu_count(), "counts": counts(outcomes)}
        print(json.dumps({**found, "outcomes": [outcome.as_json() for outcome in outcomes]}))
    else:
        print(table(outcomes, summary))
    return code or (0 if all(outcome.ok for outcome in outcomes) else EXIT_NOT_DONE)


def _run_all(case: LoadCase, levels: Sequence[int], arguments: argparse.Namespace, outcomes: list[CaseOutcome]) -> None:
    """Run a case beside each number of loops, the first time beside none, and add its outcome."""
    idle = _run(case, arguments.seconds, 0)
    outcome = CaseOutcome(case, idle)
    outcomes.append(outcome)
    _log(f"  idle: {describe_idle(idle)}")
    for busy in levels[-1:] if case.pace == "lockstep" else levels:
        for _ in range(arguments.rounds):
            loaded = _run(case, arguments.seconds, busy)
            comparison = compare_runs(idle, loaded, case.is_exact)
            outcome.loaded.setdefault(busy, []).append((loaded, comparison))
            _log(f"  {busy} loops: {'' if comparison.ok else 'FAIL '}{describe(loaded, comparison)}")


def _run(case: LoadCase, seconds: float, busy: int) -> LoadRun:
    stop = StopRequest(raises=False)  # the run before has left Ctrl-C ignored
    found = run_case(case, seconds, busy)
    stop.check()
    return found


def _cases(arguments: argparse.Namespace) -> list[LoadCase]:
    robots = _words(arguments.robot) or list(robot_names())
    for robot in robots:
        load_robot(robot, {})  # raises UserError for one that there is not
    backends = _words(arguments.backend)
    for backend in backends:
        if backend not in ALL_BACKENDS:
            raise unknown_name("backend", backend, ALL_BACKENDS)
    backends = backends or [one for one in ALL_BACKENDS if one not in ENGINES or one in installed_engines()]
    cases = load_cases(robots, backends, [arguments.only] if arguments.only else PACES)
    if not cases:
        raise UserError("nothing is left to run: in real time there is no lockstep, and some robots have no equations.")
    return cases


def _levels(text: str) -> list[int]:
    """Return the numbers of loops but for 0, in their order. Raises UserError."""
    try:
        levels = sorted({int(word) for word in _words(text)}) or list(DEFAULT_BUSY)
    except ValueError:
        raise UserError(f"--busy {text} is not allowed: it must be whole numbers, such as 2,4,8.") from None
    if not 0 <= levels[0] <= levels[-1] <= MAX_BUSY:
        raise UserError(f"--busy {text} is not allowed: each must be 0 to {MAX_BUSY}.")
    return [level for level in levels if level]


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
