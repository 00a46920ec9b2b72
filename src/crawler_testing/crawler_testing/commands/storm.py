"""Inject faults into running robots, one after the other, and check that each ends safe and is reported."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from crawler_cli.console.arguments import add_json
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.interruption import StopRequest
from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.faults.campaign import CampaignConfig, run_campaign
from crawler_testing.faults.catalogue import FAMILIES, kinds_for_robot, select_kinds
from crawler_testing.faults.report import read_campaign, write_tables
from crawler_testing.faults.verdict import Verdict
from crawler_testing.fixtures.run_config import ALL_BACKENDS
from sim_bridge.physics.engines import ENGINES, installed_engines

HELP_TEXT = f"""  makes   one line per fault that tells whether the run ended as expected, and the counts
  where   on the terminal; with --write also tables in a file
  time    about 15 s per fault; no run is started after --minutes (240)

examples:
  crawler storm --backend mock                         all faults that mock servos can have
  crawler storm --backend model,pybullet --only services,processes/gait_kill
  crawler storm --seed 7 --minutes 10                  as many as ten minutes allow
  crawler storm --robot ROBOT --backend mock           another robot
  crawler storm --list
  crawler storm --from mock.json model.json --write docs/reliability.md

Each kind of fault gets a `crawler run` of its own. Kinds after which the robot has to crawl on
share a run. Order and moments follow from --seed. Checked are: speed and acceleration of
joint_states between ticks, the time until the robot is at rest or without torque, diagnostics,
exit code, summary and recording, tracebacks in logs, and leftover processes.
docs/reliability.md has the kinds, the outcome expected of each, and the latest results.

families: {", ".join(FAMILIES[: len(FAMILIES) // 2])},
  {", ".join(FAMILIES[len(FAMILIES) // 2 :])}

exit codes: 0 all faults ended as expected, 1 some did not, 2 bad input,
  130 interrupted (the results so far are printed)

keys of --json: seed, seconds, injected, as_expected, verdicts (of each: ok, kind, backend, at,
  problems, safe_after, crawled_after, speed and acceleration as shares of what is allowed,
  reported, foot_lifted, code)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(ALL_BACKENDS)
    parser.add_argument("--backend", default="", metavar="NAME,...", help=f"of {names} (default: all)")
    parser.add_argument(
        "--robot",
        default="",
        help="another robot, without the faults that need a law or a joint of the default one",
    )
    parser.add_argument("--only", default="", metavar="KIND,...", help="only these families or kinds")
    parser.add_argument("--seed", type=int, default=0, help="of order and moments (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=240.0, help="no run is started later (default: %(default)s)")
    parser.add_argument(
        "--timeout-scale",
        type=float,
        default=1.0,
        metavar="F",
        help="multiply every timeout, for a busy machine (default: 1)",
    )
    parser.add_argument("--lockstep", action="store_true", help="run simulations in lockstep, at real time")
    parser.add_argument("--domain", type=int, help="ROS domain of the runs (default: an unused one)")
    parser.add_argument("--write", metavar="FILE", help="write the tables between the marks of this page")
    parser.add_argument(
        "--from",
        nargs="+",
        default=[],
        dest="earlier",
        metavar="FILE",
        help="start no run; count earlier outputs of --json, for each kind and backend the last",
    )
    parser.add_argument("--list", action="store_true", help="list the kinds, and start no run")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the campaign and report every verdict."""
    kinds = select_kinds(word.strip() for word in arguments.only.split(",") if word.strip())
    if arguments.robot and arguments.robot != default_robot():
        load_robot(arguments.robot, {})  # raises UserError for an invalid robot
        kinds = kinds_for_robot(kinds, arguments.robot)
    backends = _backends(arguments.backend)
    if not 1.0 <= arguments.timeout_scale <= 1000.0:
        raise UserError(f"--timeout-scale {arguments.timeout_scale:g} is not allowed: it must be 1 to 1000.")
    if not 0.0 < arguments.minutes <= 1e5:
        raise UserError(f"--minutes {arguments.minutes:g} is not allowed: it must be more than 0, and 1e5 at most.")
    if arguments.list:
        for kind in kinds:
            print(f"{kind.name:40} {kind.action}: {kind.expected.text}")
        return 0
    if arguments.earlier:
        campaigns = [read_campaign(Path(file)) for file in arguments.earlier]
        last = {(verdict.kind, verdict.backend): verdict for verdicts, _ in campaigns for verdict in verdicts}
        return _report(arguments, list(last.values()), sum(seconds for _, seconds in campaigns))
    domain = free_domain_id() if arguments.domain is None else arguments.domain
    os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    more = ("--lockstep", "--real-time-factor", "1") if arguments.lockstep else ()
    config = CampaignConfig(arguments.seed, domain, arguments.timeout_scale, 60.0 * arguments.minutes, more)

    def log(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    verdicts: list[Verdict] = []
    start, code = time.monotonic(), 0
    try:
        for verdict in run_campaign(kinds, backends, config, log, StopRequest(raises=False).check):
            verdicts.append(verdict)
            log("\n       ".join([f"  {'ok  ' if verdict.ok else 'FAIL'} {verdict.kind}", *verdict.problems]))
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    return max(code, _report(arguments, verdicts, time.monotonic() - start))


def _report(arguments: argparse.Namespace, verdicts: list[Verdict], seconds: float) -> int:
    """Print the counts and write the tables; return 1 if a fault did not end as expected."""
    good = sum(verdict.ok for verdict in verdicts)
    if arguments.write:
        source = "Several campaigns" if arguments.earlier else f"`./crawler storm --seed {arguments.seed}`"
        write_tables(Path(arguments.write), verdicts, f"{source}, {seconds / 60.0:.0f} min.")
    if arguments.json:
        found = {"seed": arguments.seed, "seconds": seconds, "injected": len(verdicts), "as_expected": good}
        print(json.dumps({**found, "verdicts": [verdict.as_json() for verdict in verdicts]}))
    else:
        print(f"{good} of {len(verdicts)} faults ended as expected, in {seconds:.0f} s")
    return int(good < len(verdicts))


def _backends(words: str) -> list[str]:
    if not words:
        return [name for name in ALL_BACKENDS if name not in ENGINES or name in installed_engines()]
    names = [word.strip() for word in words.split(",")]
    for name in names:
        if name not in ALL_BACKENDS:
            raise unknown_name("backend", name, ALL_BACKENDS)
    return names
