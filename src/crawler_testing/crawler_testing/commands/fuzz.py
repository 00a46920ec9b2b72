"""Send every subscription, service and parameter of every node of a ring what nobody would send."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TextIO

from crawler_cli.console.arguments import add_json
from crawler_cli.console.interruption import StopRequest
from crawler_core.errors import UserError
from crawler_nodes.testing.free_domain_id import free_domain_id

HELP = """examples:
  crawler fuzz                                1e5 messages to each
  crawler fuzz --count 1000 --only joint_commands,parameters
  crawler fuzz --list

All nodes of a ring run in this process, in lockstep, on joints that are where they are told, and on a time of their
own. What they say goes over no network: it is serialised, and handed to those who listen; so are messages with fields
at random, and genuine ones that are spoilt. No callback may raise, no joint pass its limits of speed and acceleration
at any tick, and 1 s of the ring's own time after each 5000 messages it must crawl.

What is sent follows from the seed and the name of the door alone. Trouble is told with its message, and its number N:
the same seed with --only 'NAME OF THE DOOR' --count N ends with it again.

exit codes: 0 all stood it, 1 some did not, 2 bad input, 130 interrupted (what was done is printed)

keys of --json: seed, seconds, outcomes (of each: ok, target, sent, ticks, crashes, speed and acceleration as shares of
what is allowed, crawled_after, problems)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler fuzz`."""
    parser.add_argument("--count", type=int, default=100_000, help="messages to each (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORD,...", help="only what has one of these words in its name")
    parser.add_argument("--seed", type=int, default=0, help="of what is sent (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="say what there is, and send nothing")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Send, and say how each stood it."""
    from crawler_testing.fuzz.campaign import TargetOutcome, fuzz, targets

    if not 1 <= arguments.count <= 10**9:
        raise UserError("--count must be 1 to 1000000000.")
    domain = free_domain_id()
    words = [word.strip() for word in arguments.only.split(",") if word.strip()]
    every = targets(domain)
    chosen = [one for one in every if str(one) == arguments.only.strip()] or [
        one for one in every if not words or any(word in str(one) for word in words)
    ]
    if not chosen:
        raise UserError(f"nothing has '{arguments.only}' in its name: './crawler fuzz --list' says what there is.")
    if arguments.list:
        print("\n".join(map(str, chosen)))
        return 0
    asked = StopRequest(raises=False)
    outcomes: list[TargetOutcome] = []
    began, code = time.monotonic(), 0
    with _quiet() as progress:
        try:
            for count, target in enumerate(chosen, 1):
                outcome = fuzz(target, arguments.count, arguments.seed, domain, asked.check)
                outcomes.append(outcome)
                head = f"{count} of {len(chosen)}: {'ok  ' if outcome.ok else 'FAIL'} {target}, {outcome.sent} sent"
                print("\n     ".join([head, *outcome.problems]), file=progress, flush=True)
        except KeyboardInterrupt:
            code = 130
    good, seconds = sum(outcome.ok for outcome in outcomes), time.monotonic() - began
    if arguments.json:
        rows = [{"ok": outcome.ok, **asdict(outcome)} for outcome in outcomes]
        print(json.dumps({"seed": arguments.seed, "seconds": seconds, "outcomes": rows}))
    else:
        sent = sum(outcome.sent for outcome in outcomes)
        print(f"{good} of {len(outcomes)} stood it, {sent} messages in {seconds:.0f} s; seed {arguments.seed}")
    return code or int(good < len(outcomes))


@contextmanager
def _quiet() -> Iterator[TextIO]:
    """Where progress is said; the middleware, which complains about each request in C, is not heard meanwhile."""
    with os.fdopen(os.dup(2), "w") as progress, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield progress
        finally:
            os.dup2(progress.fileno(), 2)
