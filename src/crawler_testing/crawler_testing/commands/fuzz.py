"""Send invalid messages to every endpoint of a stack, or give invalid files to the commands that read them."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from crawler_cli.console.arguments import add_json
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.interruption import StopRequest
from crawler_core.errors import UserError
from crawler_nodes.testing.free_domain_id import free_domain_id

MAX_COUNT = 10**9
HELP_TEXT = """  makes   one line per endpoint: ok, or the message that broke it
  where   on the terminal
  time    about half an hour with the default of 1e5 messages per endpoint

examples:
  crawler fuzz                                1e5 messages to each endpoint
  crawler fuzz --count 1000 --only joint_commands,parameters
  crawler fuzz --list
  crawler fuzz --files --count 1000           corrupted recordings, robot files, parameter files, study files
  crawler fuzz --files --only film --seed 7 --count 31 --keep bad.mcap      and the last of these files

All nodes of a stack run in this process, in lockstep, with joints that reach every setpoint, and
on a clock of their own. Messages are serialised and passed to their subscribers without a
network. Added are messages with random fields, and the stack's own with corrupted fields. No
callback may raise, no joint may exceed its limits of speed and acceleration at any tick, and
1 s of simulated time after each 5000 messages the robot must crawl.

The seed and the name of the endpoint determine all messages. A problem is reported with its
message and its number N: the same seed with --only 'NAME OF THE ENDPOINT' --count N ends with it.

With --files, plot, film, replay, rerun and gait-analysis get recordings with corrupted bytes,
records, messages, and texts in these. Runs get corrupted robot and parameter files, studies
corrupted study files. Each must be read or be rejected by one sentence, within 10 s of work and 1 GB,
and nothing but the result may be left on the disk.

exit codes: 0 all endpoints withstood it, 1 some did not, 2 bad input,
  130 interrupted (the results so far are printed)

keys of --json: seed, seconds, outcomes (of each: ok, target, sent, ticks, crashes, speed and
  acceleration as shares of what is allowed, crawled_after, problems; with --files: ok, kind,
  files, accepted, seconds, slowest in s, growth in bytes, crashes, problems)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=100_000, help="messages per endpoint (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORD,...", help="only endpoints with one of these in their name")
    parser.add_argument("--seed", type=int, default=0, help="of the messages (default: %(default)s)")
    parser.add_argument("--files", action="store_true", help="corrupt files, not messages")
    parser.add_argument("--keep", default="", metavar="FILE", help="with --files: write the last corrupted file there")
    parser.add_argument("--list", action="store_true", help="list the endpoints, and send nothing")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Fuzz each endpoint and report its outcome."""
    from crawler_testing.fuzz.campaign import fuzz
    from crawler_testing.fuzz.target import TargetOutcome, find_targets

    if not 1 <= arguments.count <= MAX_COUNT:
        raise UserError(f"--count {arguments.count} is not allowed: it must be 1 to {MAX_COUNT}.")
    if arguments.files:
        return _fuzz_files(arguments)
    if arguments.keep:
        raise UserError("--keep is about files: give --files too.")
    domain = free_domain_id()
    words = [word.strip() for word in arguments.only.split(",") if word.strip()]
    targets = find_targets(domain)
    chosen = [target for target in targets if str(target) == arguments.only.strip()] or [
        target for target in targets if not words or any(word in str(target) for word in words)
    ]
    if not chosen:
        raise UserError(f"no endpoint has '{arguments.only}' in its name: './crawler fuzz --list' lists them.")
    if arguments.list:
        print("\n".join(map(str, chosen)))
        return 0
    stop = StopRequest(raises=False)
    outcomes: list[TargetOutcome] = []
    start, code = time.monotonic(), 0
    with _silenced_middleware() as progress:
        try:
            for count, target in enumerate(chosen, 1):
                outcome = fuzz(target, arguments.count, arguments.seed, domain, stop.check)
                outcomes.append(outcome)
                head = f"{count} of {len(chosen)}: {'ok  ' if outcome.ok else 'FAIL'} {target}, {outcome.sent} sent"
                print("\n     ".join([head, *outcome.problems]), file=progress, flush=True)
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
    good, seconds = sum(outcome.ok for outcome in outcomes), time.monotonic() - start
    if arguments.json:
        rows = [{"ok": outcome.ok, **asdict(outcome)} for outcome in outcomes]
        print(json.dumps({"seed": arguments.seed, "seconds": seconds, "outcomes": rows}))
    else:
        sent = sum(outcome.sent for outcome in outcomes)
        seed = arguments.seed
        print(f"{good} of {len(outcomes)} endpoints withstood {sent} messages in {seconds:.0f} s; seed {seed}")
    return code or int(good < len(outcomes))


def _fuzz_files(arguments: argparse.Namespace) -> int:
    """Fuzz each kind of file and report its outcome."""
    from crawler_testing.file_fuzz.file_campaign import FileOutcome, file_kinds, fuzz_files, make_file

    words = [word.strip() for word in arguments.only.split(",") if word.strip()]
    chosen = [name for name in file_kinds() if not words or any(word in name for word in words)]
    if not chosen:
        raise UserError(f"no kind of file has '{arguments.only}' in its name: they are {', '.join(file_kinds())}.")
    if arguments.list:
        print("\n".join(chosen))
        return 0
    if arguments.keep:
        Path(arguments.keep).write_bytes(make_file(chosen[-1], arguments.count, arguments.seed))
    stop = StopRequest(raises=False)
    outcomes: list[FileOutcome] = []
    start, code = time.monotonic(), 0
    with _silenced_middleware() as progress:
        try:
            for name in chosen:
                outcome = fuzz_files(name, arguments.count, arguments.seed, stop.check)
                outcomes.append(outcome)
                head = (
                    f"{'ok  ' if outcome.ok else 'FAIL'} {name}: {outcome.files} files, {outcome.accepted} of them read"
                )
                rest = f"slowest {outcome.slowest:.2f} s, {outcome.growth / 2**20:.0f} MB"
                print("\n     ".join([f"{head}; {rest}", *outcome.problems]), file=progress, flush=True)
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
    good, seconds, files = sum(one.ok for one in outcomes), time.monotonic() - start, sum(one.files for one in outcomes)
    if arguments.json:
        rows = [{"ok": outcome.ok, **asdict(outcome)} for outcome in outcomes]
        print(json.dumps({"seed": arguments.seed, "seconds": seconds, "outcomes": rows}))
    else:
        seed = arguments.seed
        print(f"{good} of {len(outcomes)} kinds withstood {files} files in {seconds:.0f} s; seed {seed}")
    return code or int(good < len(outcomes))


@contextmanager
def _silenced_middleware() -> Iterator[TextIO]:
    """Silence stderr, on which the middleware reports each invalid request from C; return a file that prints to it."""
    with os.fdopen(os.dup(2), "w") as progress, open(os.devnull, "w") as null:
        os.dup2(null.fileno(), 2)
        try:
            yield progress
        finally:
            os.dup2(progress.fileno(), 2)
