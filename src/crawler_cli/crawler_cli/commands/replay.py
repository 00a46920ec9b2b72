"""Publish a recording on a ring's topics, in a namespace of its own, so that viewers show it as they show a robot."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from crawler_cli.console.arguments import namespace, number
from crawler_core.errors import UserError
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck

HELP = """examples:
  crawler replay runs/NAME                         in the namespace 'replay', at the pace of the recording
  crawler replay my.mcap --namespace yesterday --real-time-factor 0.2 --loop

Published are joint_states, contact_states, contact_estimates, odom, controller_state, motion_state, robot_description,
diagnostics and clock below the namespace, and /tf and /tf_static with the namespace before each frame, as a ring does
there. Nothing is published that drives a robot: no joint_commands, gait_reference or cmd_vel. Stamps are those of the
recording, and the clock says what time it was.

exit codes: 0 done, 2 bad input, or a ring that is in the namespace already; 130 interrupted
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler replay`."""
    parser.add_argument("recording", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--namespace", type=namespace, default="replay", help="where (default: %(default)s)")
    parser.add_argument(
        "--real-time-factor",
        type=number,
        default=1.0,
        metavar="F",
        help="recorded seconds per second (default: %(default)g)",
    )
    parser.add_argument("--loop", action="store_true", help="again and again, until Ctrl-C")


def run(arguments: argparse.Namespace) -> int:
    """Read and publish."""
    from crawler_cli.recordings.replay_publisher import ReplayPublisher
    from crawler_studies.recordings.recording import read_run_metadata, reading

    path = Path(arguments.recording)
    if not arguments.namespace.strip("/"):
        raise UserError("a replay needs a namespace of its own: give --namespace NAME.")
    if not arguments.real_time_factor > 0.0:
        raise UserError(f"--real-time-factor {arguments.real_time_factor:g} is not allowed: give more than 0.")
    with reading(path) as reader, DuplicateStackCheck(arguments.namespace) as lookout:
        if not reader.message_count:
            raise UserError(f"{path} holds no messages.")
        given = read_run_metadata(reader).get("given")
        recorded = str(given.get("namespace") or "") if isinstance(given, dict) else ""
        lookout.raise_if_duplicate("give the replay another --namespace")
        seconds = reader.duration * 1e-9
        with ReplayPublisher(arguments.namespace, recorded) as replay:
            print(f"{path}: {seconds:.1f} s in the namespace {arguments.namespace}; Ctrl-C ends it", file=sys.stderr)
            replay.play(reader, arguments.real_time_factor)
            while arguments.loop:
                replay.play(reader, arguments.real_time_factor)
            print(f"{replay.count} messages replayed", file=sys.stderr)
    return 0
