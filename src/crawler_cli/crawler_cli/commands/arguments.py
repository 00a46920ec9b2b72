"""Arguments that several commands share."""

from __future__ import annotations

import argparse

from crawler_bringup.settings import Settings, merge, parse_assignments, read_settings


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
