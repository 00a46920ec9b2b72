"""Draw a robot, its contact modes and the figures of its paper, from its equations."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_cli.console.arguments import add_json, add_robot, make_directory
from crawler_cli.console.output import print_json
from crawler_core.errors import UserError, unknown_name
from crawler_core.registry import import_object
from crawler_core.robot.robot_file import load_robot
from crawler_models.model_registry import model_of
from sim_bridge.physics.engines import ENGINES

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_studies.plots.drawing import Page, PaperFigures

HELP_TEXT = """
  makes   pictures (.png, or --format svg or pdf) with their data (.csv), and tables (.md)
  where   studies/figures/<robot>/, or --out DIR
  time    from seconds to some minutes, by figure

examples:
  crawler figures
  crawler figures --only 4,6 --out /tmp/figures --format pdf
  crawler figures ROBOT --only robot,modes     a labelled drawing and the contact modes, of any robot

exit codes: 0 done, 2 bad input, 130 interrupted (finished figures stay)

keys of --json: robot, files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument("--only", metavar="N,N,...", help="only these, by their numbers in the paper or names")
    parser.add_argument("--out", metavar="DIR", help="where the figures go (default: studies/figures/<robot>)")
    parser.add_argument(
        "--backend", default="", help="physics engine of measured figures (default: that of crawler run)"
    )
    parser.add_argument(
        "--format", choices=("png", "svg", "pdf"), default="png", help="of the pictures (default: %(default)s)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw the figures."""
    spec = load_robot(arguments.robot)
    paper, own = _figures_of_paper(spec), _figures_of_robot(spec, arguments.robot)
    names = _chosen_names(arguments.only, dict.fromkeys((*paper.figures, *own)))
    directory = make_directory(Path(arguments.out or f"studies/figures/{spec.name}"))
    data = _with_engine(arguments.backend, paper.make_data(spec), spec)
    files: list[Path] = []
    begin = time.monotonic()
    for number, name in enumerate(names, 1):
        if not arguments.json:
            print(f"{number} of {len(names)}: {name} ...", file=sys.stderr, flush=True)
        before = time.monotonic()
        drawing = own[name]() if name in own else paper.figures[name](data)
        files += drawing.save(directory, arguments.format)
        if not arguments.json:
            print(f"{drawing.name}: {drawing.title} ({time.monotonic() - before:.1f} s)", flush=True)
    if arguments.json:
        print_json({"robot": spec.name, "files": [str(file) for file in files]})
    else:
        print(f"{len(files)} files in {directory}, {time.monotonic() - begin:.0f} s")
    return 0


def _figures_of_paper(spec: RobotSpec) -> PaperFigures:
    """Return the figures that the robot's model names; none without a paper."""
    from crawler_studies.plots.drawing import PaperFigures

    where = model_of(spec).figures
    if not where:
        return PaperFigures(lambda _: None, {})
    found: PaperFigures = import_object(where, what=f"the figures of '{spec.name}'")
    return found


def _figures_of_robot(spec: RobotSpec, robot: str) -> dict[str, Callable[[], Page]]:
    """Return the drawing that every robot has, and the contact modes of one with equations."""
    from crawler_studies.gait_analysis import mode_graph
    from crawler_studies.plots import robot_drawing
    from crawler_studies.study.study_case import StudyCase

    own: dict[str, Callable[[], Page]] = {"robot": lambda: robot_drawing.draw_robot(spec)}
    if model_of(spec).plant is not None and len(spec.feet) <= mode_graph.MAX_FEET:
        own["modes"] = lambda: mode_graph.draw_modes(StudyCase(robot or spec.name))
    return own


def _with_engine(engine: str, data: Any, spec: RobotSpec) -> Any:
    """Return the data with this engine in place of the default one."""
    if not engine:
        return data
    if engine not in ENGINES:
        raise unknown_name("physics engine", engine, ENGINES)
    if not hasattr(data, "physics"):
        raise UserError(
            f"--backend {engine} is not allowed: the figures of '{spec.name}' come from equations alone. Leave it out."
        )
    return dataclasses.replace(data, physics=engine)


def _chosen_names(only: str | None, known: Iterable[str]) -> list[str]:
    names = list(known)
    if only is None:
        return names
    chosen = [word.strip() for word in only.split(",")]
    for word in chosen:
        if word not in names:
            raise UserError(f"there is no figure '{word}' to draw: there are {', '.join(names)}.")
    return chosen
