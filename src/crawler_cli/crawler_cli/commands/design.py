"""Search for a better mechanism or gait of a robot, by its equations."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from crawler_cli.commands.design_input import check_sections, output_file, read_goal, read_ranges, searched_sections
from crawler_cli.commands.design_report import print_options, print_result
from crawler_cli.console.arguments import add_json, add_robot, add_settings, integer, read_all_settings
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE
from crawler_cli.console.interruption import StopRequest
from crawler_cli.console.output import print_json
from crawler_cli.console.progress_line import ProgressLine
from crawler_core.errors import UserError
from crawler_core.files import check_writable, replace_file
from crawler_core.registry import import_object
from crawler_models.model_registry import model_of

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_studies.design.designer import Design, Designer
    from crawler_studies.study.study_case import StudyCase

HELP_TEXT = """
  makes   the parameters found (.yaml), for --params of other commands, and a picture beside them
          (.png); a table (.csv) if there is more than one answer
  where   studies/, or --out FILE
  time    from seconds to some minutes, by robot

--options lists what can be wanted and which parameters are searched, with units and ranges. --only gait keeps the
robot as it is, for one that exists. --over searches another parameter, or keeps it: the same value twice. --set and
--params change what the result is compared with, and are part of the parameters found.

examples:
  crawler design ROBOT
  crawler design ROBOT --want stride=0.26,depth=0.04 --seed 3 --out longer.yaml
  crawler design ROBOT --over robot.crank_length=0.02:0.02 --over robot.femur_length=0.15:0.25
  crawler design ROBOT --gait GAIT --only gait --set gait.frequency=4
  crawler design ROBOT --options

exit codes: 0 done, 1 nothing better was found (files are written only if something moves), 2 bad input, 130
interrupted (the best so far is written)

keys of --json: robot, gait (if gaits are searched), goal, ranges (of the parameters searched), seed, evaluations,
seconds, better, old, new (results of both), settings (what was found, by section), notes, command (that runs it),
file, picture, table (or null)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument("--gait", default="", help="if gaits are searched, the one to start from")
    parser.add_argument(
        "--want", action="append", default=[], metavar="NAME=VALUE,...", help="a quality of the result; repeatable"
    )
    parser.add_argument("--only", choices=("gait", "robot"), help="search the parameters of this section alone")
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH,...",
        help="where to search a parameter, such as robot.crank_length=0.01:0.03; the same twice keeps it; repeatable",
    )
    parser.add_argument("--seed", type=integer, default=0, help="of all random numbers (default: %(default)s)")
    parser.add_argument("--out", default="", metavar="FILE", help="where the parameters go (default: studies/...)")
    parser.add_argument("--options", action="store_true", help="list the values of --want and --over, and stop")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the input, search, report."""
    from crawler_studies.study.study_case import StudyCase

    if arguments.seed < 0:
        raise UserError(f"--seed {arguments.seed} is not allowed: give 0 or more.")
    settings = read_all_settings(arguments)
    case = StudyCase(arguments.robot, arguments.gait, settings)
    designer = _load_designer(case.spec)
    check_sections(settings, bool(arguments.gait or arguments.only == "gait"), case, designer)
    if arguments.options:
        print_options(case, designer, arguments.json)
        return 0
    goal = read_goal(arguments.want, designer)
    ranges = read_ranges(arguments.over, arguments.only, case, designer)
    search = designer.plan(case, goal, ranges, arguments.seed)
    file = output_file(arguments.out, arguments.gait, case, goal, ranges, arguments.seed)
    check_writable(file)
    is_stopped = StopRequest(raises=False)
    progress = SearchProgress(designer.target, arguments.json)
    begin = time.monotonic()
    found = search.run(progress, is_stopped)
    seconds = time.monotonic() - begin
    if found is None:
        print(
            f"crawler: nothing was found: {progress.text}. Search wider ranges, or want less.",
            file=sys.stderr,
        )
        return EXIT_INTERRUPTED if is_stopped() else EXIT_NOT_DONE
    files = _write(found, file, case, designer)
    result = {
        "robot": case.spec.name,
        "goal": dataclasses.asdict(goal),
        "ranges": {name: list(ends) for name, ends in ranges.items()},
        "seed": arguments.seed,
        "evaluations": progress.evaluations,
        "seconds": round(seconds, 3),
        **_result_of(found, arguments.robot or case.spec.name, case, designer, file),
        **files,
    }
    if arguments.json:
        print_json(result)
    else:
        print_result(case, designer, found, result)
    if is_stopped():
        count = f"{progress.evaluations} {designer.target}s"
        print(f"crawler: interrupted after {count}; the best is in {file}.", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0 if found.better else EXIT_NOT_DONE


def _load_designer(spec: RobotSpec) -> Designer:
    where = model_of(spec).design
    if not where:
        raise UserError(f"there is no mechanism of '{spec.name}' to search for: its equations bring no such search.")
    return import_object(where, what=f"the design of '{spec.name}'")


def _result_of(found: Design, robot: str, case: StudyCase, designer: Designer, file: Path) -> dict[str, Any]:
    """Return the keys of --json about the design found, and the command that runs it."""
    from crawler_studies.study.study_case import group_by_section

    has_gait = "gait" in searched_sections(case, designer)
    gait_words = ["--gait", case.gait_name] if has_gait else []
    words = ["./crawler", "run", "--robot", robot, *gait_words, "--params", str(file)]
    return {
        **({"gait": case.gait_name} if has_gait else {}),
        "better": found.better,
        "old": dict(found.old),
        "new": dict(found.new),
        "settings": group_by_section(found.settings),
        "notes": list(found.notes),
        "command": shlex.join(words),
    }


def _write(found: Design, file: Path, case: StudyCase, designer: Designer) -> dict[str, str | None]:
    """Write parameters, picture and table. Return their paths. Raises UserError."""
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
        text = f"# A {designer.target} for {title}\n{text}"
        replace_file(file, lambda part: Path(part).write_text(text, encoding="utf-8"))
        replace_file(picture, lambda part: figure.savefig(part, dpi=100))
        if table and found.table:
            save_columns(table, found.table)
    except OSError as error:
        raise UserError(f"{file} or its picture cannot be written: {error.strerror or error}.") from None
    return {"file": str(file), "picture": str(picture), "table": str(table) if table else None}


class SearchProgress:
    """Prints how far a search is, and keeps its latest state."""

    def __init__(self, target: str, quiet: bool) -> None:
        self.evaluations, self.text = 0, "interrupted"
        self._target = target
        self._line = ProgressLine(quiet, period_s=10.0, news_period_s=0.5)

    def __call__(self, evaluations: int, text: str) -> None:
        self.evaluations, self.text = evaluations, text
        self._line(f"{evaluations} {self._target}s; {text}", news=text)
