"""Redraw the figures of a robot's paper from its equations: a PNG of each, and its data as CSV."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from crawler_bringup.cli.arguments import add_json
from crawler_core.errors import UserError, unknown_name
from crawler_core.robot import load_robot

EPILOG = """examples:
  crawler figures three_link
  crawler figures three_link --only 4,6 --output /tmp/figures

exit codes: 0 done, 2 bad input, 130 interrupted (the figures so far are kept)

keys of --json: robot, files
"""

KNOWN = ("three_link",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler figures`."""
    parser.add_argument("robot", nargs="?", default="three_link", help="whose paper (default: %(default)s)")
    parser.add_argument("--only", metavar="N,N,...", help="only these figures, by their numbers in the paper")
    parser.add_argument("--output", metavar="DIR", help="where to (default: studies/figures/<robot>)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw."""
    if arguments.robot not in KNOWN:
        raise unknown_name("paper with figures for the robot", arguments.robot, KNOWN)
    spec = load_robot(arguments.robot)
    from crawler_models.three_link import ThreeLink
    from crawler_studies.figures import three_link

    numbers = _numbers(arguments.only, three_link.NUMBERS)
    directory = Path(arguments.output or f"studies/figures/{spec.name}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the directory {directory} cannot be made: {error.strerror}.") from None
    lab = three_link.Lab(ThreeLink.from_parameters(spec.parameters))
    files: list[Path] = []
    begin = time.monotonic()
    for number in numbers:
        before = time.monotonic()
        drawing = three_link.make(number, lab)
        files += drawing.save(directory)
        if not arguments.json:
            print(f"Fig. {number}: {drawing.title} ({time.monotonic() - before:.1f} s)", flush=True)
    if arguments.json:
        print(json.dumps({"robot": spec.name, "files": [str(file) for file in files]}))
    else:
        print(f"{len(files)} files in {directory}, {time.monotonic() - begin:.0f} s")
    return 0


def _numbers(only: str | None, known: tuple[int, ...]) -> tuple[int, ...]:
    if only is None:
        return known
    words = [word.strip() for word in only.split(",")]
    wrong = [word for word in words if not word.isdigit() or int(word) not in known]
    if wrong:
        raise UserError(
            f"there is no figure '{wrong[0]}' to draw: theory gives {known[0]} to {known[-1]}, such as --only 4,6."
        )
    return tuple(int(word) for word in words)
