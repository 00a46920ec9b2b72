"""Publish a recording on a stack's topics, in a namespace of its own, for viewers."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from crawler_cli.console.arguments import namespace, number
from crawler_core.errors import UserError
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck

MIN_FACTOR, MAX_FACTOR = 1e-3, 1e6  # recorded seconds per second
MIN_ROUND_S = 0.1  # of --loop: a recording of an instant must not be published without a pause
HELP_TEXT = """
  makes   the recorded messages on their topics, with a clock
  where   the namespace 'replay', or --namespace
  time    as long as the recording, divided by --real-time-factor; with --loop or --hold until Ctrl-C

The namespace gets joint_states, contact_states, contact_estimates, ground_truth/odom, odom, controller_state,
motion_state, robot_description, diagnostics and clock. /tf and /tf_static get the namespace before each frame. Topics
that drive a robot are left out: joint_commands, gait_reference and cmd_vel. Stamps and clock are those of the
recording. A gap of more than 60 s between two messages is replayed as 60 s.

A page ('crawler view --namespace replay') shows it, with a time line: it pauses and goes to any time. Any other client
sets the parameters 'time' and 'paused' of the node 'replay'. Once that has happened, the replay waits at its end.

examples:
  crawler replay runs/NAME                  at the pace of the recording
  crawler replay my.mcap --namespace yesterday --real-time-factor 0.2 --loop

exit codes: 0 done, 2 bad input, or a stack already runs in the namespace; 130 interrupted
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--namespace", type=namespace, default="replay", help="where (default: %(default)s)")
    parser.add_argument(
        "--real-time-factor",
        type=number,
        default=1.0,
        metavar="F",
        help="recorded seconds per second (default: %(default)g)",
    )
    parser.add_argument("--loop", action="store_true", help="repeat until Ctrl-C")
    parser.add_argument("--hold", action="store_true", help="wait at the end for the page's time line, until Ctrl-C")


def run(arguments: argparse.Namespace) -> int:
    """Read the recording and publish it."""
    from crawler_cli.recordings.replay_publisher import ReplayPublisher
    from crawler_studies.recordings.recording_reader import open_recording, read_run_metadata

    path, factor = Path(arguments.recording), arguments.real_time_factor
    if not arguments.namespace.strip("/"):
        raise UserError("a replay needs a namespace of its own: give --namespace NAME.")
    if not MIN_FACTOR <= factor <= MAX_FACTOR:
        raise UserError(f"--real-time-factor {factor:g} is not allowed: give {MIN_FACTOR:g} to {MAX_FACTOR:g}.")
    with open_recording(path) as reader, DuplicateStackCheck(arguments.namespace) as duplicates:
        if not reader.message_count:
            raise UserError(f"{path} holds no messages: give the recording of a run.")
        given = read_run_metadata(reader).get("given")
        recorded = str(given.get("namespace") or "") if isinstance(given, dict) else ""
        duplicates.raise_if_duplicate("give the replay another --namespace")
        seconds = reader.duration * 1e-9
        with ReplayPublisher(arguments.namespace, recorded) as replay:
            print(f"{path}: {seconds:.1f} s in the namespace {arguments.namespace}; Ctrl-C ends it", file=sys.stderr)
            replay.play(reader, factor, hold=arguments.hold)
            if not replay.count:
                raise UserError(f"{path} holds no messages that are replayed: give the recording of a run.")
            while arguments.loop:
                began = time.monotonic()
                replay.play(reader, factor)
                time.sleep(max(0.0, began + MIN_ROUND_S - time.monotonic()))
            print(f"{replay.count} messages replayed", file=sys.stderr)
    return 0
