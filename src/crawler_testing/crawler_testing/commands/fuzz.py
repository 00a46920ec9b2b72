"""Send invalid messages to every endpoint of a stack, or give invalid files to the commands that read them."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from crawler_cli.console.arguments import add_json
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.interruption import StopRequest
from crawler_core.errors import UserError
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_testing.marked_page import write_between_marks

if TYPE_CHECKING:
    from crawler_testing.file_fuzz.file_report import SeededOutcome

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
  crawler fuzz --files --from 7.json 8.json --write docs/reliability.md

All nodes of a stack run in this process, in lockstep, with joints that reach every setpoint, and
on a clock of their own. Messages are serialised and passed to their subscribers without a
network. Added are messages with random fields, and the stack's own with corrupted fields. No
callback may raise, no joint may exceed its limits of speed and acceleration at any tick, and
1 s of simulated time after each 5000 messages the robot must crawl.

The seed and the name of the endpoint determine all messages. A problem is reported with its
message and its number N: the same seed with --only 'NAME OF THE ENDPOINT' --count N ends with it.

With --files, plot, film, replay, rerun and gait-analysis get recordings with corrupted bytes,
records, messages, and texts in these. Runs get corrupted robot and parameter files, studies
corrupted study files. Each must be read or be rejected by one sentence, within 10 s of work and 1 GB.
Nothing but the result may be written, no process started, no code beside the file run.

exit codes: 0 all endpoints withstood it, 1 some did not, 2 bad input,
  130 interrupted (the results so far are printed)

keys of --json: seed, seconds, outcomes (of each: ok, target, sent, ticks, crashes, speed and
  acceleration as shares of what is allowed, crawled_after, problems; with --files: ok, seed,
  kind, files, accepted, seconds, slowest in s, growth in bytes, crashes, problems, interrupted)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=100_000, help="messages per endpoint (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORD,...", help="only endpoints with one of these in their name")
    parser.add_argument("--seed", type=int, default=0, help="of the messages (default: %(default)s)")
    parser.add_argument("--files", action="store_true", help="corrupt files, not messages")
    parser.add_argument("--keep", default="", metavar="FILE", help="with --files: write the last corrupted file there")
    parser.add_argument("--write", metavar="FILE", help="with --files: write the table between the marks of this page")
    parser.add_argument(
        "--from",
        nargs="+",
        default=[],
        dest="earlier",
        metavar="FILE",
        help="with --files: try none; add up earlier outputs of --json",
    )
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
    if arguments.keep or arguments.write or arguments.earlier:
        raise UserError("--keep, --write and --from are about files: give --files too.")
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
    from crawler_testing.file_fuzz.file_report import read_outcomes

    words = [word.strip() for word in arguments.only.split(",") if word.strip()]
    chosen = [name for name in file_kinds() if not words or any(word in name for word in words)]
    if not chosen:
        raise UserError(f"no kind of file has '{arguments.only}' in its name: they are {', '.join(file_kinds())}.")
    if arguments.list:
        print("\n".join(chosen))
        return 0
    if arguments.earlier:
        return _report_files(arguments, [one for file in arguments.earlier for one in read_outcomes(Path(file))], 0.0)
    if arguments.keep:
        Path(arguments.keep).write_bytes(make_file(chosen[-1], arguments.count, arguments.seed))
    stop = StopRequest(raises=False)
    outcomes: list[FileOutcome] = []
    start = time.monotonic()
    with _silenced_middleware() as progress:
        for name in chosen:
            outcome = fuzz_files(name, arguments.count, arguments.seed, stop.check)
            outcomes.append(outcome)
            head = f"{'ok  ' if outcome.ok else 'FAIL'} {name}: {outcome.files} files, {outcome.accepted} of them read"
            rest = f"slowest {outcome.slowest:.2f} s, {outcome.growth / 2**20:.0f} MB"
            print("\n     ".join([f"{head}; {rest}", *outcome.problems]), file=progress, flush=True)
            if outcome.interrupted:
                break
    return _report_files(arguments, [(arguments.seed, one) for one in outcomes], time.monotonic() - start)


def _report_files(arguments: argparse.Namespace, outcomes: Sequence[SeededOutcome], seconds: float) -> int:
    """Print the outcomes and write their table; return the exit code."""
    from crawler_testing.file_fuzz.file_report import table

    if arguments.write:
        write_between_marks(Path(arguments.write), "fuzz --files", table(outcomes))
    if arguments.json:
        rows = [{"ok": outcome.ok, "seed": seed, **asdict(outcome)} for seed, outcome in outcomes]
        print(json.dumps({"seed": arguments.seed, "seconds": seconds, "outcomes": rows}))
    else:
        print(table(outcomes))
    if any(outcome.interrupted for _, outcome in outcomes):
        return EXIT_INTERRUPTED
    return int(not all(outcome.ok for _, outcome in outcomes))


@contextmanager
def _silenced_middleware() -> Iterator[TextIO]:
    """Silence stderr, on which the middleware reports each invalid request from C; return a file that prints to it."""
    with os.fdopen(os.dup(2), "w") as progress, open(os.devnull, "w") as null:
        os.dup2(null.fileno(), 2)
        try:
            yield progress
        finally:
            os.dup2(progress.fileno(), 2)
