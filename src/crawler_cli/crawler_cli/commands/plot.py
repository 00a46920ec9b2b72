"""Draw the picture of a run from its recording: joint angles, feet, distance."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from crawler_cli.console.arguments import add_json
from crawler_cli.console.output import finite
from crawler_cli.recordings.recorded_run import recorded_stack
from crawler_core.errors import UserError
from crawler_nodes.run_log.log import RunLog
from hybrid_controller.laws.law_registry import LAWS

HELP = """examples:
  crawler plot runs/NAME                           a run that was recorded with 'crawler run --record'
  crawler plot my.mcap --out crawl.png          .pdf and .svg as well

The picture is that of `crawler run`. A recording that was cut off is drawn up to there, and one of another maker as far
as it has the ring's topics; the equations' speed is there where the recording says which gait it is.

exit codes: 0 done, 2 bad input

keys of --json: picture, robot, duration_s, distance_m, joints, feet
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler plot`."""
    parser.add_argument("recording", help="an MCAP file, or the directory of a recorded run")
    parser.add_argument("--out", metavar="FILE", help="the picture (default: beside the MCAP file, as .png)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read and draw."""
    from crawler_cli.plots.run_plot import draw
    from crawler_studies.recordings.recording import find_recording, read_run_metadata, reading

    path = Path(arguments.recording)
    with reading(path) as reader:
        stack = recorded_stack(read_run_metadata(reader), path)
        log = RunLog.of(stack.spec) if stack else RunLog()
        _fill(log, reader)
    if len(log.joints) < 2:
        raise UserError(f"{path} holds no run: no joint_states, or just the first of them.")
    file = Path(arguments.out) if arguments.out else find_recording(path)[1].with_suffix(".png")
    title, marks, speed = str(path), {}, None
    if stack:
        title = f"{stack.spec.name} on {stack.options.backend}, gait {stack.gait_name}"
        marks, numbers = dict(LAWS[stack.law].marks), stack.prediction.numbers
        speed = numbers["speed_m_s"] if numbers else None
    try:
        draw(log, title, speed, marks, file)
    except (OSError, ValueError) as error:  # ValueError: a kind of picture that there is not
        why = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise UserError(f"{file} cannot be written: {why}.") from None
    result = {
        "picture": str(file),
        "robot": stack.spec.name if stack else None,
        "duration_s": log.time,
        "distance_m": log.distance,
        "joints": log.names,
        "feet": log.feet,
    }
    print(json.dumps(finite(result)) if arguments.json else f"picture: {file}")
    return 0


def _fill(log: RunLog, reader: Any) -> None:
    """Let the log hear the recording, a topic at a time."""
    from crawler_studies.recordings.recording import connections

    for topic, hear in reversed(log.topics()):  # joints first, which times count from
        there = connections(reader, topic.name)
        for _, _, data in reader.messages(there) if there else ():
            hear(data, {})
