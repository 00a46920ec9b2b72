"""Repeat a recorded run in lockstep, and say whether it is equal to the bit."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.options import Options
from crawler_bringup.stack.settings import merge
from crawler_bringup.stack.stack import make_stack
from crawler_cli.console.arguments import add_json
from crawler_cli.recordings.recorded_run import count_late_ticks, find_differences, find_interventions, recorded_options
from crawler_cli.run.run_watch import run_to_end
from crawler_core.errors import UserError
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck

if TYPE_CHECKING:
    from crawler_studies.recordings.recording_comparison import Comparison

NOT_EQUAL = 1  # exit code
PATIENCE = 60.0  # s of wall time that its nodes wait for each other: it shall be the same on a busy machine
HELP = """examples:
  crawler run --lockstep --record --out crawl
  crawler rerun crawl                              the run that was recorded there
  crawler rerun crawl/recording/recording.mcap --json

A run repeats to the bit where it was made in lockstep and nobody intervened. Compared are joint_states, joint_commands,
contact_states, contact_estimates, odom and controller_state, message by message, but for the random names by which
processes tell each other apart. A recording that was cut off is repeated up to there: docs/recordings.md.

files: the recording of the rerun and its logs, in runs/rerun-<robot>-<backend>-<time>/

exit codes: 0 equal to the bit; 1 not, or the rerun failed; 2 bad input, or a recording that cannot be repeated; 130
interrupted

keys of --json: equal, robot, backend, duration_s, messages (by topic: equal, different, missing in one of them),
parting (topic, stamp in ns, words; null: none), differs (versions, parameters and robot file that are not those of the
recording), interventions (what was done to the recorded run), late_ticks (recorded, now), directory
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler rerun`."""
    parser.add_argument("recording", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--robot", default="", help="a robot.yaml, where that of the recording has another place now")
    parser.add_argument(
        "--out", metavar="DIR", help="where the rerun's files go (default: runs/...); must not exist yet"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, run, compare, say."""
    from crawler_studies.recordings.recording import read_run_metadata, reading

    path = Path(arguments.recording)
    with reading(path) as reader:
        about = read_run_metadata(reader)
        options = _options(about, path, arguments.robot, _end(reader, path))
        done, late = find_interventions(reader), count_late_ticks(reader)
    label = f"rerun-{about.get('robot_name')}-{options.backend}-{datetime.now():%Y%m%d-%H%M%S}"
    directory = Path(arguments.out or f"runs/{label}")
    if directory.exists():
        raise UserError(f"{directory} exists already: give a new name with --out, nothing is overwritten.")
    options = replace(options, record=str((directory / "recording").resolve()))
    with DuplicateStackCheck(options.namespace) as lookout:
        try:
            stack = make_stack(options)
        except UserError as error:
            made = (about.get("versions") or {}).get("crawler", "another version")
            raise UserError(f"the run cannot be made again here (it was recorded by crawler {made}): {error}") from None
        lookout.raise_if_duplicate("wait until it has ended")
    if code := run_to_end(stack, directory, quiet=arguments.json):
        return code
    from crawler_studies.recordings.recording_comparison import compare

    with reading(path) as before, reading(directory) as now:
        found = compare(before, now)
        differs, late_now = find_differences(about, read_run_metadata(now)), count_late_ticks(now)
    result = {
        "equal": found.same,
        "robot": stack.spec.name,
        "backend": options.backend,
        "duration_s": stack.duration,
        "messages": {
            topic: {"equal": count, "different": found.different[topic], "missing": found.missing[topic]}
            for topic, count in found.equal.items()
        },
        "parting": asdict(found.parting) if found.parting else None,
        "differs": differs,
        "interventions": done,
        "late_ticks": [late, late_now],
        "directory": str(directory),
    }
    print(json.dumps(result) if arguments.json else "\n".join(_words(found, result)))
    return 0 if found.same else NOT_EQUAL


def _options(about: Mapping[str, Any], path: Path, robot: str, end: float) -> Options:
    """Of the rerun. Raises UserError where there cannot be one."""
    options = recorded_options(about, path)
    if options.backend not in BACKENDS or not BACKENDS[options.backend].simulated:
        raise UserError(f"{path} is of the backend {options.backend}: only simulations can be run again.")
    if options.settings["backend"].get("lockstep") is not True:
        raise UserError(f"{path} was not made in lockstep: only such a run repeats; record one with --lockstep.")
    waiting = {
        "backend": {"real_time_factor": 0.0, "lockstep_timeout": PATIENCE},
        "controller": {"reference_timeout": PATIENCE},
    }
    return replace(
        options,
        robot=robot or options.robot,
        settings=merge(options.settings, waiting),
        duration=end,
        extra_state_readers=1,
        command=shlex.join(["crawler", *sys.argv[1:]]),
    )


def _end(reader: Any, path: Path) -> float:
    """The time of the last state, s. Raises UserError where there is none."""
    from crawler_studies.recordings.recording_comparison import stamped

    last = max((stamp for stamp, _, _ in stamped(reader, "joint_states")), default=0)
    if last <= 0:
        raise UserError(f"{path} holds no run: no joint_states, or just the first of them.")
    return last * 1e-9


def _words(found: Comparison, result: Mapping[str, Any]) -> list[str]:
    total = sum(found.equal.values()) + sum(found.different.values())
    lines = []
    if found.parting is not None:
        at = f"{found.parting.topic} at {found.parting.stamp * 1e-9:.6f} s"
        lines.append(f"not equal: {sum(found.different.values())} of {total} messages differ, first {at}:")
        lines.append(f"  {found.parting.words}")
    elif found.same:
        lines.append(f"equal to the bit: {total} messages of {', '.join(found.equal)} in {result['duration_s']:g} s")
    else:
        lines.append("not equal: states are missing in one of them")
    missing = [f"{count} of {topic}" for topic, count in found.missing.items() if count]
    lines += [f"only in one of the two recordings: {', '.join(missing)}"] if missing else []
    lines += [f"differs: {phrase}" for phrase in result["differs"]]
    lines += [f"not repeated: {phrase}" for phrase in result["interventions"]]
    for which, count in zip(("recorded run", "rerun"), result["late_ticks"], strict=True):
        lines += [f"{count} ticks of the {which} had no command in time, which no rerun repeats"] if count else []
    return [*lines, f"everything: {result['directory']}"]
