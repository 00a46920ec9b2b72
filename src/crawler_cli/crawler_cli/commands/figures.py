"""Draw a robot, its contact modes, and its paper's figures from its equations: PNG with CSV, tables as Markdown."""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_cli.console.arguments import add_json
from crawler_core.errors import UserError, unknown_name
from crawler_core.registry import import_object
from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_models.models import model_of
from sim_bridge.physics.engines import ENGINES

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_studies.plots.drawing import Page, PaperFigures

HELP = """examples:
  crawler figures
  crawler figures --only 4,6 --out /tmp/figures
  crawler figures ROBOT --only robot,modes           a labelled drawing, and what its foot does: any robot has them

exit codes: 0 done, 2 bad input, 130 interrupted (the figures so far are kept)

keys of --json: robot, files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler figures`."""
    parser.add_argument("robot", nargs="?", default="", help=f"whose paper (default: {default_robot()})")
    parser.add_argument("--only", metavar="N,N,...", help="only these, by their numbers in the paper or names")
    parser.add_argument("--out", metavar="DIR", help="where to (default: studies/figures/<robot>)")
    parser.add_argument(
        "--backend",
        default="",
        help="the physics engine of figures that are measured (default: that of crawler run)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw."""
    spec = load_robot(arguments.robot)
    paper, own = _of_its_paper(spec), _of_any_robot(spec, arguments.robot)
    names = _names(arguments.only, dict.fromkeys((*paper.figures, *own)))
    directory = Path(arguments.out or f"studies/figures/{spec.name}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the directory {directory} cannot be made: {error.strerror}.") from None
    lab = _measured_by(arguments.backend, paper.make_data(spec), spec)
    files: list[Path] = []
    begin = time.monotonic()
    for name in names:
        before = time.monotonic()
        drawing = own[name]() if name in own else paper.figures[name](lab)
        files += drawing.save(directory)
        if not arguments.json:
            print(f"{drawing.name}: {drawing.title} ({time.monotonic() - before:.1f} s)", flush=True)
    if arguments.json:
        print(json.dumps({"robot": spec.name, "files": [str(file) for file in files]}))
    else:
        print(f"{len(files)} files in {directory}, {time.monotonic() - begin:.0f} s")
    return 0


def _of_its_paper(spec: RobotSpec) -> PaperFigures:
    """The figures that the robot's model names, where it has a paper."""
    from crawler_studies.plots.drawing import PaperFigures

    where = model_of(spec).figures
    found: PaperFigures = (
        import_object(where, what=f"the figures of '{spec.name}'") if where else PaperFigures(lambda _: None, {})
    )
    return found


def _of_any_robot(spec: RobotSpec, robot: str) -> dict[str, Callable[[], Page]]:
    """The drawing that every robot has, and the modes of one that has equations."""
    from crawler_studies.gait_analysis import mode_graph
    from crawler_studies.plots import robot_drawing
    from crawler_studies.study.study_case import StudyCase

    own: dict[str, Callable[[], Page]] = {"robot": lambda: robot_drawing.make(spec)}
    if model_of(spec).plant is not None and len(spec.feet) <= mode_graph.MOST_FEET:
        own["modes"] = lambda: mode_graph.make(StudyCase(robot or spec.name))
    return own


def _measured_by(engine: str, lab: Any, spec: RobotSpec) -> Any:
    """The lab with this engine in place of the default one."""
    if not engine:
        return lab
    if engine not in ENGINES:
        raise unknown_name("physics engine", engine, ENGINES)
    if not hasattr(lab, "physics"):
        raise UserError(f"the figures of '{spec.name}' are drawn from equations alone: leave --backend out.")
    return dataclasses.replace(lab, physics=engine)


def _names(only: str | None, known: Iterable[str]) -> list[str]:
    names = list(known)
    if only is None:
        return names
    words = [word.strip() for word in only.split(",")]
    wrong = [word for word in words if word not in names]
    if wrong:
        raise UserError(f"there is no figure '{wrong[0]}' to draw: there are {', '.join(names)}.")
    return words
