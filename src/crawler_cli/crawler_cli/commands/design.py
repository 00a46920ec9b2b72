"""Search for a better mechanism of a robot: lengths whose foot goes where it shall."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from crawler_cli.command import Command
from crawler_cli.commands.arguments import add_json, add_settings, settings_of
from crawler_cli.commands.design_report import show, show_options
from crawler_cli.commands.interruption import AskedToEnd
from crawler_cli.commands.model import finite
from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import build, check_value, describe
from crawler_core.robot import default_robot, load_robot, parameter_infos
from crawler_core.table import load
from crawler_models.catalogue import model_of

if TYPE_CHECKING:
    from crawler_core.robot import RobotSpec
    from crawler_studies.design import Design, Designer, Range

EPILOG = """examples:
  crawler design ROBOT
  crawler design ROBOT --want stride=0.26,depth=0.04 --seed 3 --save longer.yaml
  crawler design ROBOT --over robot.crank_length=0.02:0.02 --over robot.femur_length=0.15:0.25
  crawler design ROBOT --options

--options lists what can be wanted and the parameters that are searched, with units and ranges. --set and --params
change the mechanism that what is found is compared with; the file of what is found has them too.

files: the parameters that were found (.yaml), for --params of other commands, and a picture (.png) beside them, by
default in studies/

exit codes: 0 done, 1 nothing better was found (there are files only where something turns), 2 bad input, 130
interrupted (the best so far is written)

keys of --json: robot, wishes, ranges (of the parameters that were searched), seed, evaluations, seconds, better, old,
new (what both mechanisms come to), settings (what was found, of section robot), notes, command (that runs it), file,
picture
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler design`."""
    parser.add_argument("robot", nargs="?", default="", help=f"which robot (default: {default_robot()})")
    parser.add_argument(
        "--want", action="append", default=[], metavar="NAME=VALUE,...", help="what it shall do; repeatable"
    )
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH,...",
        help="where to search a parameter, such as robot.crank_length=0.01:0.03; the same twice keeps it; repeatable",
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (default: %(default)s)")
    parser.add_argument("--save", default="", metavar="FILE", help="where the parameters go (default: studies/...)")
    parser.add_argument("--options", action="store_true", help="list what --want and --over can say, and stop")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check everything, search, report."""
    settings = settings_of(arguments)
    for section in settings:
        if section != "robot":
            raise UserError(f"'{section}' settings mean nothing to a mechanism: give robot settings.")
    if arguments.seed < 0:
        raise UserError(f"--seed {arguments.seed} is not allowed: give 0 or more.")
    spec = load_robot(arguments.robot, settings.get("robot"))
    designer = _designer(spec)
    if arguments.options:
        show_options(spec, designer, arguments.json)
        return 0
    wishes: Any = build(designer.wishes, _wanted(arguments.want, designer), section="want")
    ranges = _ranges(arguments.over, spec, designer)
    search = designer.plan(spec, wishes, ranges, arguments.seed)
    file = _file(arguments, spec, wishes, ranges, settings.get("robot") or {})
    asked = AskedToEnd(at_once=False)
    lines = _Lines(arguments.json)
    begin = time.monotonic()
    found = search.run(lines, asked)
    seconds = time.monotonic() - begin
    if found is None:
        print(f"crawler: nothing was found: {lines.words}. Search wider ranges, or want less.", file=sys.stderr)
        return 130 if asked() else 1
    picture = _write(found, file, spec, {**(settings.get("robot") or {}), **found.settings})
    named = shlex.quote(str(file))
    result = {
        "robot": spec.name,
        "wishes": dataclasses.asdict(wishes),
        "ranges": {name: list(ends) for name, ends in ranges.items()},
        "seed": arguments.seed,
        "evaluations": lines.judged,
        "seconds": round(seconds, 3),
        "better": found.better,
        "old": dict(found.old),
        "new": dict(found.new),
        "settings": dict(found.settings),
        "notes": list(found.notes),
        "command": f"./crawler run --robot {shlex.quote(arguments.robot or spec.name)} --params {named}",
        "file": str(file),
        "picture": str(picture),
    }
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        show(spec, designer, found, result)
    if asked():
        print(f"crawler: interrupted after {lines.judged} mechanisms; the best of them is in {file}.", file=sys.stderr)
        return 130
    return 0 if found.better else 1


def _designer(spec: RobotSpec) -> Designer:
    where = model_of(spec).design
    if not where:
        raise UserError(f"there is no mechanism of '{spec.name}' to search for: its equations bring no such search.")
    return load(where, what=f"the design of '{spec.name}'")


def _wanted(words: list[str], designer: Designer) -> dict[str, Any]:
    infos = {info.name: info for info in describe(designer.wishes)}
    wanted: dict[str, Any] = {}
    for word in _words(words):
        name, equals, text = word.partition("=")
        if not equals:
            raise UserError(f"'{word}' is no wish: write name=value, such as {next(iter(infos))}=0.2.")
        if name not in infos:
            raise unknown_name("wish", name, infos)
        try:
            wanted[name] = check_value(infos[name], yaml.safe_load(text), label=name)
        except yaml.YAMLError:
            raise UserError(f"the value in '{word}' cannot be read: it must be {infos[name].range_text()}.") from None
    return wanted


def _ranges(words: list[str], spec: RobotSpec, designer: Designer) -> dict[str, Range]:
    ranges = dict(designer.ranges(spec))
    infos = parameter_infos(spec)
    for word in _words(words):
        name, _, text = word.partition("=")
        own = name.removeprefix("robot.")
        if own == name or own not in ranges:
            raise unknown_name("parameter to search", name, (f"robot.{known}" for known in ranges))
        try:
            low, high = (float(part) for part in text.split(":"))
        except ValueError:
            raise UserError(f"'{word}' is no range: write {name}=low:high.") from None
        for value in (low, high):
            check_value(infos[own], value, label=name)
        if low > high:
            raise UserError(f"'{word}' is empty: {low:g} is above {high:g}.")
        ranges[own] = low, high
    return ranges


def _words(words: list[str]) -> list[str]:
    return [word.strip() for text in words for word in text.split(",")]


def _file(
    arguments: argparse.Namespace, spec: RobotSpec, wishes: Any, ranges: Mapping[str, Range], own: Mapping[str, Any]
) -> Path:
    if arguments.save:
        file = Path(arguments.save)
        if file.suffix not in (".yaml", ".yml"):
            raise UserError(f"--save {file} is not allowed: the parameters go into a .yaml file.")
        if not file.parent.is_dir():
            raise UserError(f"{file} cannot be written: there is no directory {file.parent}.")
        return file
    from crawler_studies.place import labelled_path

    identity = {"wishes": dataclasses.asdict(wishes), "ranges": ranges, "seed": arguments.seed, "robot": own}
    return labelled_path((spec.name, "design"), identity, ".yaml")


def _write(found: Design, file: Path, spec: RobotSpec, parameters: Mapping[str, Any]) -> Path:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    picture = file.with_suffix(".png")
    figure = Figure(figsize=(10.0, 7.0), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{spec.title}: the mechanism that was found")
    found.draw(figure)
    text = yaml.safe_dump({"robot": dict(parameters)}, sort_keys=False)
    try:
        file.write_text(f"# A mechanism for {spec.title}\n{text}", encoding="utf-8")
        figure.savefig(picture, dpi=100)
    except OSError as error:
        raise UserError(f"{file} or its picture cannot be written: {error.strerror or error}.") from None
    return picture


class _Lines:
    """A line now and then, while it searches."""

    EVERY = 0.5  # s

    def __init__(self, quiet: bool) -> None:
        self.judged, self.words = 0, "interrupted"
        self._quiet = quiet
        self._next = time.monotonic() + self.EVERY

    def __call__(self, judged: int, words: str) -> None:
        self.judged, self.words = judged, words
        if self._quiet or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self.EVERY
        print(f"{judged} mechanisms; {words}", file=sys.stderr, flush=True)


COMMAND = Command("a better mechanism: lengths whose foot goes where it shall", __doc__, EPILOG, add_arguments, run)
