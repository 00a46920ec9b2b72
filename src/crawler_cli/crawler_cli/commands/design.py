"""ParameterSearch for a better mechanism or gait of a robot: whatever its equations can judge by themselves."""

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

from crawler_cli.commands.design_report import show, show_options
from crawler_cli.console.arguments import add_json, add_settings, integer, read_all_settings
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import finite
from crawler_core.errors import UserError, unknown_name
from crawler_core.files import parse_value
from crawler_core.parameters import build, check_value, describe
from crawler_core.registry import import_object
from crawler_core.robot.robot_file import default_robot
from crawler_models.models import model_of

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_studies.design.designer import Design, Designer, Range
    from crawler_studies.study.study_case import StudyCase

HELP = """examples:
  crawler design ROBOT
  crawler design ROBOT --want stride=0.26,depth=0.04 --seed 3 --out longer.yaml
  crawler design ROBOT --over robot.crank_length=0.02:0.02 --over robot.femur_length=0.15:0.25
  crawler design ROBOT --gait GAIT --only gait --set gait.frequency=4
  crawler design ROBOT --options

--options lists what can be wanted and the parameters that are searched, with units and ranges. --only gait keeps the
robot as it is, for one that exists; --over searches a parameter besides, or keeps it: the same value twice. --set and
--params change what is found is compared with; the file of what is found has them too.

files: the parameters that were found (.yaml), for --params of other commands, and a picture (.png) beside them, by
default in studies/; where there is more than one answer, a table of them (.csv)

exit codes: 0 done, 1 nothing better was found (there are files only where something moves), 2 bad input, 130
interrupted (the best so far is written)

keys of --json: robot, gait (where it is searched), wishes, ranges (of the parameters that were searched), seed,
evaluations, seconds, better, old, new (what both come to), settings (what was found, by section), notes, command (that
runs it), file, picture, table (or null)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler design`."""
    parser.add_argument("robot", nargs="?", default="", help=f"which robot (default: {default_robot()})")
    parser.add_argument("--gait", default="", help="where gaits are searched, the one that it starts from")
    parser.add_argument(
        "--want", action="append", default=[], metavar="NAME=VALUE,...", help="what shall be good; repeatable"
    )
    parser.add_argument("--only", choices=("gait", "robot"), help="search the parameters of this section alone")
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH,...",
        help="where to search a parameter, such as robot.crank_length=0.01:0.03; the same twice keeps it; repeatable",
    )
    parser.add_argument("--seed", type=integer, default=0, help="of all that is drawn (default: %(default)s)")
    parser.add_argument("--out", default="", metavar="FILE", help="where the parameters go (default: studies/...)")
    parser.add_argument("--options", action="store_true", help="list what --want and --over can say, and stop")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check everything, search, report."""
    from crawler_studies.study.study_case import StudyCase

    if arguments.seed < 0:
        raise UserError(f"--seed {arguments.seed} is not allowed: give 0 or more.")
    settings = read_all_settings(arguments)
    case = StudyCase(arguments.robot, arguments.gait, settings)
    designer = _designer(case.spec)
    _check_sections(arguments, settings, case, designer)
    if arguments.options:
        show_options(case, designer, arguments.json)
        return 0
    wishes: Any = build(designer.goal, _wanted(arguments.want, designer), section="want")
    ranges = _ranges(arguments, case, designer)
    search = designer.plan(case, wishes, ranges, arguments.seed)
    file = _file(arguments, case, wishes, ranges)
    asked = StopRequest(raises=False)
    lines = _Lines(designer.target, arguments.json)
    begin = time.monotonic()
    found = search.run(lines, asked)
    seconds = time.monotonic() - begin
    if found is None:
        print(
            f"crawler: nothing was found: {lines.words}. ParameterSearch wider ranges, or want less.", file=sys.stderr
        )
        return 130 if asked() else 1
    picture, table = _write(found, file, case, designer)
    gait = case.gait_name if _searches_gaits(case, designer) else None
    with_gait = ["--gait", gait] if gait else []
    words = ["./crawler", "run", "--robot", arguments.robot or case.spec.name, *with_gait, "--params", str(file)]
    from crawler_studies.study.study_case import group_by_section

    result = {
        "robot": case.spec.name,
        **({"gait": gait} if gait else {}),
        "wishes": dataclasses.asdict(wishes),
        "ranges": {name: list(ends) for name, ends in ranges.items()},
        "seed": arguments.seed,
        "evaluations": lines.judged,
        "seconds": round(seconds, 3),
        "better": found.better,
        "old": dict(found.old),
        "new": dict(found.new),
        "settings": group_by_section(found.settings),
        "notes": list(found.notes),
        "command": shlex.join(words),
        "file": str(file),
        "picture": str(picture),
        "table": str(table) if table else None,
    }
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        show(case, designer, found, result)
    if asked():
        print(f"crawler: interrupted after {lines.judged} {designer.target}s; the best is in {file}.", file=sys.stderr)
        return 130
    return 0 if found.better else 1


def _designer(spec: RobotSpec) -> Designer:
    where = model_of(spec).design
    if not where:
        raise UserError(f"there is no mechanism of '{spec.name}' to search for: its equations bring no such search.")
    return import_object(where, what=f"the design of '{spec.name}'")


def _sections(case: StudyCase, designer: Designer) -> list[str]:
    from crawler_studies.study.study_case import group_by_section

    return sorted(group_by_section(designer.ranges(case)), reverse=True)


def _searches_gaits(case: StudyCase, designer: Designer) -> bool:
    return "gait" in _sections(case, designer)


def _check_sections(
    arguments: argparse.Namespace, settings: Mapping[str, object], case: StudyCase, designer: Designer
) -> None:
    known = _sections(case, designer)
    for section in settings:
        if section not in known:
            raise UserError(
                f"'{section}' settings mean nothing to the search for a {designer.target}: give {' and '.join(known)} "
                "settings."
            )
    if "gait" not in known and (arguments.gait or arguments.only == "gait"):
        raise UserError(f"what is searched of '{case.spec.name}' is a {designer.target}: leave the gait out.")


def _wanted(words: list[str], designer: Designer) -> dict[str, Any]:
    infos = {info.name: info for info in describe(designer.goal)}
    wanted: dict[str, Any] = {}
    for word in _words(words):
        name, equals, text = word.partition("=")
        if not equals:
            raise UserError(f"'{word}' is no wish: write name=value, such as {_example(designer)}.")
        if name not in infos:
            raise unknown_name("wish", name, infos)
        try:
            value = parse_value(text, word)
        except UserError:
            raise UserError(f"the value in '{word}' cannot be read: it must be {infos[name].range_text()}.") from None
        wanted[name] = check_value(infos[name], value, label=name)
    return wanted


def _example(designer: Designer) -> str:
    first = describe(designer.goal)[0]
    return f"{first.name}={first.default}"


def _ranges(arguments: argparse.Namespace, case: StudyCase, designer: Designer) -> dict[str, Range]:
    known = designer.ranges(case)
    own = arguments.only
    ranges = {name: ends for name, ends in known.items() if not own or name.partition(".")[0] == own}
    for word in _words(arguments.over):
        name, _, text = word.partition("=")
        if name not in known:
            raise unknown_name("parameter to search", name, known)
        try:
            low, high = (float(part) for part in text.split(":"))
        except ValueError:
            raise UserError(f"'{word}' is no range: write {name}=low:high.") from None
        for value in (low, high):
            check_value(case.info(name), value, label=name)
        if low > high:
            raise UserError(f"'{word}' is empty: {low:g} is above {high:g}.")
        ranges[name] = low, high
    return ranges


def _words(words: list[str]) -> list[str]:
    return [word.strip() for text in words for word in text.split(",")]


def _file(arguments: argparse.Namespace, case: StudyCase, wishes: Any, ranges: Mapping[str, Range]) -> Path:
    if arguments.out:
        file = Path(arguments.out)
        if file.suffix not in (".yaml", ".yml"):
            raise UserError(f"--out {file} is not allowed: the parameters go into a .yaml file.")
        if not file.parent.is_dir():
            raise UserError(f"{file} cannot be written: there is no directory {file.parent}.")
        return file
    from crawler_studies.study.study_paths import default_study_path

    identity = {"wishes": dataclasses.asdict(wishes), "ranges": ranges, "seed": arguments.seed}
    identity |= {"gait": arguments.gait, "settings": case.settings}
    return default_study_path((case.spec.name, "design"), identity, ".yaml")


def _write(found: Design, file: Path, case: StudyCase, designer: Designer) -> tuple[Path, Path | None]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from crawler_bringup.stack.settings import merge
    from crawler_studies.plots.drawing import save_columns
    from crawler_studies.study.study_case import group_by_section

    title = case.spec.title
    picture, table = file.with_suffix(".png"), file.with_suffix(".csv") if found.table else None
    figure = Figure(figsize=(10.0, 7.0), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{title}: the {designer.target} that was found")
    found.draw(figure)
    text = yaml.safe_dump(merge(case.settings, group_by_section(found.settings)), sort_keys=False)
    try:
        file.write_text(f"# A {designer.target} for {title}\n{text}", encoding="utf-8")
        figure.savefig(picture, dpi=100)
        if table and found.table:
            save_columns(table, found.table)
    except OSError as error:
        raise UserError(f"{file} or its picture cannot be written: {error.strerror or error}.") from None
    return picture, table


class _Lines:
    """A line now and then, while it searches: soon where there is news."""

    EVERY, AT_LEAST = 0.5, 10.0  # s

    def __init__(self, what: str, quiet: bool) -> None:
        self.judged, self.words = 0, "interrupted"
        self._what, self._quiet = what, quiet
        self._latest, self._said = time.monotonic(), ""

    def __call__(self, judged: int, words: str) -> None:
        self.judged, self.words = judged, words
        since = time.monotonic() - self._latest
        if self._quiet or since < (self.EVERY if words != self._said else self.AT_LEAST):
            return
        self._latest, self._said = time.monotonic(), words
        print(f"{judged} {self._what}s; {words}", file=sys.stderr, flush=True)
