"""Inject faults into running robots, one after the other, and see that each ends safe and is said."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from crawler_cli.console.arguments import add_json
from crawler_cli.console.interruption import StopRequest
from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.faults.campaign import CampaignConfig, blow
from crawler_testing.faults.catalogue import FAMILIES, chosen_kinds, on_robot
from crawler_testing.faults.fault_kind import EVERY
from crawler_testing.faults.report import read_storm, write_tables
from crawler_testing.faults.verdict import Verdict
from sim_bridge.physics.engines import installed_engines

HELP = f"""examples:
  crawler storm --backend mock                         every kind of fault that mock servos can have
  crawler storm --backend model,pybullet --only services,processes/gait_kill
  crawler storm --seed 7 --minutes 10                  as many as fit into ten minutes
  crawler storm --robot ROBOT --backend mock           another robot
  crawler storm --list
  crawler storm --from mock.json model.json --write docs/reliability.md

Every kind is injected into a `crawler run` of its own or, where it should crawl on, of several; moments and order come
from --seed. What is judged: limits of speed and acceleration of joint_states between ticks, the time until the robot is
at rest or without torque, what diagnostics say, exit code, summary and recording, tracebacks in any log, processes that
are left. docs/reliability.md has the kinds, what must follow each, and how the latest storm went.

families: {", ".join(FAMILIES)}

exit codes: 0 every fault ended as it must, 1 some did not, 2 bad input, 130 interrupted (what was done is printed)

keys of --json: seed, seconds, injected, as_they_must, verdicts (of each: ok, kind, backend, at, problems, safe_after,
crawled_after, speed and acceleration as shares of what is allowed, said, code)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler storm`."""
    parser.add_argument("--backend", default="", help=f"comma-separated, of {', '.join(EVERY)} (default: all of them)")
    parser.add_argument(
        "--robot", default="", help="another than the default: without the kinds that need a law or a joint of that one"
    )
    parser.add_argument("--only", default="", metavar="KIND,...", help="only these families or kinds")
    parser.add_argument("--seed", type=int, default=0, help="of order and moments (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=240.0, help="nothing is begun later (default: %(default)s)")
    parser.add_argument(
        "--timeout-scale",
        type=float,
        default=1.0,
        metavar="F",
        help="times every bound of time, on a busy machine (default: 1)",
    )
    parser.add_argument("--lockstep", action="store_true", help="simulations in lockstep, at real time")
    parser.add_argument("--domain", type=int, help="ROS domain of the storm (default: one in which nobody else is)")
    parser.add_argument(
        "--write", metavar="FILE", help="write the tables between the marks of this file, docs/reliability.md"
    )
    parser.add_argument(
        "--from",
        nargs="+",
        default=[],
        dest="earlier",
        metavar="FILE",
        help="begin nothing: count what earlier storms have printed with --json, of each kind on a backend the last",
    )
    parser.add_argument("--list", action="store_true", help="say which kinds there are, and begin nothing")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Blow, and say how each ended."""
    kinds = chosen_kinds(word.strip() for word in arguments.only.split(",") if word.strip())
    if arguments.robot and arguments.robot != default_robot():
        load_robot(arguments.robot, {})  # refuses what it is not
        kinds = on_robot(kinds, arguments.robot)
    backends = _backends(arguments.backend)
    if not 1.0 <= arguments.timeout_scale <= 1000.0 or not 0.0 < arguments.minutes <= 1e5:
        raise UserError("--timeout-scale must be 1 to 1000, and --minutes more than 0.")
    if arguments.list:
        for kind in kinds:
            print(f"{kind.name:40} {kind.does}: {kind.must.text}")
        return 0
    verdicts: list[Verdict]
    if arguments.earlier:
        storms = [read_storm(Path(file)) for file in arguments.earlier]
        verdicts = list({(one.kind, one.backend): one for found, _ in storms for one in found}.values())
        return _say(arguments, verdicts, sum(about["seconds"] for _, about in storms))
    verdicts = []
    began, code = time.monotonic(), 0
    domain = free_domain_id() if arguments.domain is None else arguments.domain
    os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    more = ("--lockstep", "--real-time-factor", "1") if arguments.lockstep else ()
    weather = CampaignConfig(arguments.seed, domain, arguments.timeout_scale, 60.0 * arguments.minutes, more)

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    try:
        for verdict in blow(kinds, backends, weather, say, StopRequest(raises=False).check):
            verdicts.append(verdict)
            say("\n       ".join([f"  {'ok  ' if verdict.ok else 'FAIL'} {verdict.kind}", *verdict.problems]))
    except KeyboardInterrupt:
        code = 130
    return max(code, _say(arguments, verdicts, time.monotonic() - began))


def _say(arguments: argparse.Namespace, verdicts: list[Verdict], seconds: float) -> int:
    """Print and write how it went; 1 where a fault did not end as it must."""
    good = sum(verdict.ok for verdict in verdicts)
    if arguments.write:
        command = f"`./crawler storm --seed {arguments.seed}`" if not arguments.earlier else "Several storms"
        write_tables(Path(arguments.write), verdicts, f"{command}, {seconds / 60.0:.0f} min.")
    if arguments.json:
        found = {"seed": arguments.seed, "seconds": seconds, "injected": len(verdicts), "as_they_must": good}
        print(json.dumps({**found, "verdicts": [verdict.as_json() for verdict in verdicts]}))
    else:
        print(f"{good} of {len(verdicts)} faults ended as they must, in {seconds:.0f} s")
    return int(good < len(verdicts))


def _backends(words: str) -> list[str]:
    if not words:
        engines = installed_engines()
        return [name for name in EVERY if name not in ("pybullet", "mujoco") or name in engines]
    chosen = [word.strip() for word in words.split(",")]
    for word in chosen:
        if word not in EVERY:
            raise unknown_name("backend under a storm", word, EVERY)
    return chosen
