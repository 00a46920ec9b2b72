"""Draw the picture of a run from its recording: joint angles, feet, distance."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from crawler_cli.console.arguments import add_json
from crawler_cli.console.output import print_json
from crawler_cli.recordings.recorded_run import missing_robot_note, recorded_stack
from crawler_cli.run.ruler import length, read_summary, save_summary, with_ruler
from crawler_cli.run.summary import print_summary
from crawler_core.errors import UserError
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.measure_source import measured_by

HELP_TEXT = """
  makes   the picture of `crawler run`, as .png, .pdf or .svg
  where   beside the MCAP file, or --out FILE
  time    some seconds

A recording that was cut off is drawn up to there. One from another program is drawn as far as it has the stack's
topics. The equations' speed is drawn if the recording names the gait, and its robot is installed or given by --robot.

With --distance the summary of a run, recorded or not, gets the distance that was measured with a ruler: step and speed
follow from it, and the summary says so. On motors this replaces what the robot believes.

examples:
  crawler plot runs/NAME                    a run recorded with 'crawler run --record'
  crawler plot my.mcap --out crawl.png
  crawler plot runs/NAME --distance 615mm   the way that a ruler says, into the run's summary

exit codes: 0 done, 2 bad input

keys of --json: picture, robot, duration_s, distance_m, measured_by, joints, feet; with --distance the
summary of the run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--robot", default="", help="the robot.yaml, if the robot is not an installed one")
    parser.add_argument("--out", metavar="FILE", help="the picture (default: beside the MCAP file, as .png)")
    parser.add_argument(
        "--distance", type=length, metavar="LENGTH", help="of the run by a ruler, such as 615mm: enters its summary"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the recording and draw it."""
    from crawler_cli.plots.run_plot import draw
    from crawler_studies.recordings.recording_reader import find_recording, open_recording, read_run_metadata

    path = Path(arguments.recording)
    if arguments.distance is not None:
        return _enter_distance(path, arguments)
    with open_recording(path) as reader:
        metadata = read_run_metadata(reader)
        stack = recorded_stack(metadata, path, arguments.robot)
        log = RunLog.of(stack.spec) if stack else RunLog()
        _fill(log, reader)
    if stack is None and (note := missing_robot_note(metadata)):
        print(note, file=sys.stderr)
    if len(log.joints) < 2:
        raise UserError(f"{path} holds no run: no joint_states, or just the first of them.")
    file = Path(arguments.out) if arguments.out else find_recording(path)[1].with_suffix(".png")
    title, marks, speed = str(path), {}, None
    if stack:
        title = f"{stack.spec.name} on {stack.options.backend}, gait {stack.gait_name}"
        marks, numbers = dict(stack.marks), stack.prediction.numbers
        speed = numbers["speed_m_s"] if numbers else None
    try:
        draw(log, title, speed, marks, file)
    except (OSError, ValueError) as error:  # ValueError: an unknown suffix
        reason = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise UserError(f"{file} cannot be written: {reason}.") from None
    result = {
        "picture": str(file),
        "robot": stack.spec.name if stack else None,
        "duration_s": log.time,
        "distance_m": log.base.distance,
        "measured_by": measured_by(log) or None,
        "joints": log.names,
        "feet": log.feet,
    }
    if arguments.json:
        print_json(result)
    else:
        print(f"picture: {file}")
    return 0


def _enter_distance(directory: Path, arguments: argparse.Namespace) -> int:
    """Put a distance that was measured with a ruler into the summary of a run."""
    if arguments.out:
        raise UserError("--out is for a picture, and --distance changes the summary of a run: give one of them.")
    summary = with_ruler(read_summary(directory), arguments.distance)
    save_summary(directory, summary)
    if arguments.json:
        print_json(summary)
    else:
        print_summary(summary)
    return 0


def _fill(log: RunLog, reader: Any) -> None:
    """Pass the recorded messages to the log, one topic after the other."""
    from crawler_studies.recordings.recording_reader import topic_connections

    for topic, callback in reversed(log.topics()):  # joints first: times count from them
        found = topic_connections(reader, topic.name)
        for _, _, data in reader.messages(found) if found else ():
            with reader.content_errors():
                callback(data, {})
