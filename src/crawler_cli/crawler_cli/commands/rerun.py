"""Repeat a recorded run in lockstep, and compare the two bit by bit."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.options import NO_NODE, Options
from crawler_bringup.stack.settings import merge
from crawler_bringup.stack.stack import Stack, make_stack
from crawler_cli.console.arguments import add_json, check_new
from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_cli.console.output import print_json, print_lines
from crawler_cli.recordings.recorded_run import count_late_ticks, find_differences, find_interventions, recorded_options
from crawler_cli.run.run_watch import run_to_end
from crawler_core.errors import UserError
from crawler_nodes.topics import JOINT_STATES
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck

if TYPE_CHECKING:
    from crawler_studies.recordings.recording_comparison import RecordingComparison

NODE_TIMEOUT_S = 60.0  # of wall time that nodes wait for each other: a busy machine must not change the result
HELP_TEXT = """
  makes   a recording and logs of the same run, and a verdict: equal to the bit, or what differs
  where   runs/rerun-<robot>-<backend>-<time>/, or --out DIR
  time    that of the recorded run in lockstep, as fast as the machine allows

A run repeats to the bit if it was made in lockstep without interventions. The comparison covers joint_states,
joint_commands, contact_states, contact_estimates, ground_truth/odom, odom and controller_state, message by message,
without the random names that identify processes. A recording that was cut off is repeated up to there:
docs/recordings.md.

examples:
  crawler run --lockstep --record --out crawl
  crawler rerun crawl
  crawler rerun crawl/recording/recording.mcap --json

exit codes: 0 equal to the bit; 1 not, or the rerun failed; 2 bad input, or a recording that cannot be repeated; 130
interrupted

keys of --json: equal, robot, backend, duration_s, messages (by topic: equal, different, missing in one of them),
parting (first difference: topic, stamp in ns, words; null: none), differs (versions, parameters and robot file that
are not those of the recording), interventions (in the recorded run), late_ticks (recorded, now), directory
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--robot", default="", help="the robot.yaml, if the robot is not an installed one")
    parser.add_argument("--out", metavar="DIR", help="where the files go (default: runs/...); must not exist yet")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the recording, repeat the run, compare the two."""
    from crawler_studies.recordings.recording_comparison import compare_recordings
    from crawler_studies.recordings.recording_reader import open_recording, read_run_metadata

    path = Path(arguments.recording)
    with open_recording(path) as reader:
        recorded = read_run_metadata(reader)
        options = rerun_options(recorded, path, arguments.robot, last_stamp(reader, path))
        interventions, late_ticks = find_interventions(reader), count_late_ticks(reader)
    label = f"rerun-{recorded.get('robot_name')}-{options.backend}-{datetime.now():%Y%m%d-%H%M%S}"
    directory = check_new(Path(arguments.out or f"runs/{label}"))
    stack = _make_stack(replace(options, record=str((directory / "recording").resolve())), recorded)
    if code := run_to_end(stack, directory, quiet=arguments.json):
        return code
    with open_recording(path) as before, open_recording(directory) as now:
        comparison = compare_recordings(before, now)
        differences, late_ticks_now = find_differences(recorded, read_run_metadata(now)), count_late_ticks(now)
    result = {
        "equal": comparison.same,
        "robot": stack.spec.name,
        "backend": options.backend,
        "duration_s": stack.duration,
        "messages": {
            topic: {"equal": count, "different": comparison.different[topic], "missing": comparison.missing[topic]}
            for topic, count in comparison.equal.items()
        },
        "parting": asdict(comparison.parting) if comparison.parting else None,
        "differs": differences,
        "interventions": interventions,
        "late_ticks": [late_ticks, late_ticks_now],
        "directory": str(directory),
    }
    if arguments.json:
        print_json(result)
    else:
        print_lines(*_report(comparison, result))
    return 0 if comparison.same else EXIT_NOT_DONE


def rerun_options(recorded: Mapping[str, Any], path: Path, robot: str, end: float) -> Options:
    """Return the options of the rerun up to `end`, in s. Raises UserError if the run cannot be repeated."""
    options = recorded_options(recorded, path, robot)
    if options.backend not in BACKENDS or not BACKENDS[options.backend].simulated:
        raise UserError(f"{path} is of the backend {options.backend}: only simulations can be run again.")
    if options.settings["backend"].get("lockstep") is not True:
        raise UserError(f"{path} was not made in lockstep: only such a run repeats; record one with --lockstep.")
    if NO_NODE in (options.controller, options.gait):
        raise UserError(f"{path} was commanded by a node of the user's own: only what the stack itself did repeats.")
    timeouts = {
        "backend": {"real_time_factor": 0.0, "lockstep_timeout": NODE_TIMEOUT_S},
        "controller": {"reference_timeout": NODE_TIMEOUT_S},
    }
    return replace(
        options,
        settings=merge(options.settings, timeouts),
        duration=end,
        extra_state_readers=1,
        command=shlex.join(["crawler", *sys.argv[1:]]),
    )


def _make_stack(options: Options, recorded: Mapping[str, Any]) -> Stack:
    with DuplicateStackCheck(options.namespace) as duplicates:
        try:
            stack = make_stack(options)
        except UserError as error:
            versions = recorded.get("versions")
            version = versions.get("crawler") if isinstance(versions, dict) else None
            version = version or "another version"
            raise UserError(
                f"the run cannot be made again here (it was recorded by crawler {version}): {error}"
            ) from None
        duplicates.raise_if_duplicate("wait until it has ended")
    return stack


def last_stamp(reader: Any, path: Path) -> float:
    """Return the time of the last state in s. Raises UserError if there is none."""
    from crawler_studies.recordings.recording_comparison import stamped_messages

    last = max((stamp for stamp, _, _ in stamped_messages(reader, JOINT_STATES.name)), default=0)
    if last <= 0:
        raise UserError(f"{path} holds no run: no joint_states, or just the first of them.")
    return last * 1e-9


def _report(comparison: RecordingComparison, result: Mapping[str, Any]) -> list[str]:
    """Return the lines of the verdict."""
    total = sum(comparison.equal.values()) + sum(comparison.different.values())
    first = comparison.parting
    lines = []
    if first is not None:
        count = sum(comparison.different.values())
        at = f"{first.topic} at {first.stamp * 1e-9:.6f} s"
        lines += [f"not equal: {count} of {total} messages differ, first {at}:", f"  {first.words}"]
    elif comparison.same:
        topics = ", ".join(comparison.equal)
        lines.append(f"equal to the bit: {total} messages of {topics} in {result['duration_s']:g} s")
    else:
        lines.append("not equal: states are missing in one of them")
    missing = [f"{count} of {topic}" for topic, count in comparison.missing.items() if count]
    lines += [f"only in one of the two recordings: {', '.join(missing)}"] if missing else []
    lines += [f"differs: {phrase}" for phrase in result["differs"]]
    lines += [f"not repeated: {phrase}" for phrase in result["interventions"]]
    for which, count in zip(("recorded run", "rerun"), result["late_ticks"], strict=True):
        lines += [f"{count} ticks of the {which} had no command in time, which no rerun repeats"] if count else []
    return [*lines, f"everything: {result['directory']}"]
