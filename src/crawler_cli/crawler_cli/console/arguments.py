"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from crawler_bringup.stack.settings import Settings, merge, parse_assignments, read_settings
from crawler_core.errors import UserError, quoted
from crawler_core.robot.names import check_namespace

Number = TypeVar("Number", int, float)
LARGEST = 10.0**9  # of any number that is typed, either way
HOUR = 3600.0  # s, the most of a run whose every tick is kept


def number_to(most: float) -> Callable[[str], float]:
    """The type of an argument that is a number and at most so much, either way."""
    return lambda text: _read(float, text, "a number", most)


def namespace(text: str) -> str:
    """The type of an argument that is the namespace of a ring."""
    try:
        return check_namespace(text)
    except UserError as error:  # which argparse would take for any ValueError
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None


def number(text: str) -> float:
    """The type of an argument that is a number."""
    return _read(float, text, "a number", LARGEST)


def whole(text: str) -> int:
    """The type of an argument that is a whole number."""
    return _read(int, text, "a whole number", LARGEST)


def port(text: str) -> int:
    """The type of an argument that is a port of this machine."""
    value = whole(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{value} is no port: these are 1 to 65535, and 0 for any that is free")
    return value


def add_settings(parser: argparse.ArgumentParser) -> None:
    """--set and --params."""
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
    """--json."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object (SI units) and nothing else on stdout"
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """What --params and --set say. Raises UserError."""
    base = read_settings(arguments.params) if arguments.params else {}
    return merge(base, parse_assignments(arguments.set))


def _read(kind: Callable[[str], Number], text: str, what: str, most: float) -> Number:
    with suppress(ValueError):
        value = kind(text)
        if abs(value) <= most:  # which NaN is not
            return value
    raise argparse.ArgumentTypeError(f"{quoted(text)} is not {what} of at most {most:g}")
