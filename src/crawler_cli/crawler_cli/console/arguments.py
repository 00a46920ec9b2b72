"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from crawler_bringup.stack.settings import Settings, merge, parse_assignments, read_settings
from crawler_core.errors import UserError, quoted
from crawler_core.robot.names import check_namespace
from crawler_core.robot.robot_file import default_robot

Number = TypeVar("Number", int, float)
MAX_NUMBER = 10.0**9  # either way, of every number on the command line
MAX_RUN_S = 3600.0  # of a run of which every tick is stored


def number_up_to(limit: float) -> Callable[[str], float]:
    """Return the type of an argument that is a number of at most `limit`, either way."""
    return lambda text: _parse(float, text, "a number", limit)


def number(text: str) -> float:
    return _parse(float, text, "a number", MAX_NUMBER)


def integer(text: str) -> int:
    return _parse(int, text, "a whole number", MAX_NUMBER)


def port(text: str) -> int:
    """Parse an argument that is a TCP port of this machine."""
    value = integer(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{value} is no port: give 1 to 65535, or 0 for any that is free")
    return value


def namespace(text: str) -> str:
    """Parse an argument that is the namespace of a stack."""
    try:
        return check_namespace(text)
    except UserError as error:  # argparse would replace the text of any ValueError
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None


def add_robot(parser: argparse.ArgumentParser) -> None:
    """Add the robot as the first word."""
    parser.add_argument("robot", nargs="?", default="", help=f"name or robot.yaml (default: {default_robot()})")


def add_gait_and_law(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--gait", default="", help="the gait's name (default: the robot's)")
    parser.add_argument("--controller", default="", help="the control law (default: the robot's)")


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.NAME=VALUE",
        help="a parameter of robot, gait, controller or backend, such as gait.omega=8; repeatable, wins over --params",
    )
    parser.add_argument(
        "--params", metavar="FILE", help="a YAML file with sections robot, gait, controller, backend of name: value"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object (SI units) and nothing else on stdout"
    )


def read_all_settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of --params and --set. Raises UserError."""
    base = read_settings(arguments.params) if arguments.params else {}
    return merge(base, parse_assignments(arguments.set))


def make_directory(path: Path) -> Path:
    """Make a directory for output if it is not there. Raises UserError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"the directory {path} cannot be made: {error.strerror}. Give another place with --out."
        ) from None
    return path


def check_new(path: Path) -> Path:
    """Return the path if nothing is there. Raises UserError."""
    if path.exists():
        raise UserError(f"{path} exists already: give a new name with --out, nothing is overwritten.")
    return path


def _parse(kind: Callable[[str], Number], text: str, meaning: str, limit: float) -> Number:
    with suppress(ValueError):
        value = kind(text)
        if abs(value) <= limit:  # false for NaN
            return value
    raise argparse.ArgumentTypeError(f"{quoted(text)} is not {meaning} of at most {limit:g}")
