"""Solve a robot's equations without ROS: step length, speed and contacts of a gait."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_bringup.stack.settings import Settings
from crawler_cli.console.arguments import (
    add_gait_and_law,
    add_json,
    add_robot,
    add_settings,
    integer,
    read_all_settings,
)
from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_cli.console.output import finite, print_json, print_table
from crawler_core.errors import UserError
from crawler_core.parameters import build
from crawler_core.registry import import_object
from crawler_core.robot.robot_file import load_robot
from crawler_models.interface.model import Column
from crawler_models.model_registry import model_of, predict
from gait_generators.kinds.gait_registry import gait_name, gait_parameters, make_gait
from gait_generators.kinds.limit_check import check_limits
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_name

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_models.interface.lookup import MakeLookup

DEFAULT_ENTRIES = 512
HELP_TEXT = """
  makes   a table of the gait's steady state; with --table a lookup table of the robot's kinematics
  where   on the terminal; with --table in that file
  time    a second

A law with a prediction of its own replaces the robot's: --controller and --set controller.<name> change it. --table
writes the position of the foot over the crank's angle, and its Jacobian, for a controller on the robot: a C header
(.h, whole numbers of 16 bits) or a table (.csv, SI units). Some robots' equations have one.

examples:
  crawler model --set gait.omega=8
  crawler model --gait time_scaled --set gait.alpha=0.5 --json
  crawler model ROBOT --table foot.h

exit codes: 0 the gait is valid, 1 the equations do not hold for it (a foot lifts, a motor is weak, ...), 2 bad input

keys of --json with --table: robot, file, entries, and the errors of the table

A robot's equations add keys of their own, whose meaning is in the table without --json.

keys of --json: robot, gait, gait_parameters, step_length_m, speed_m_s, period_s, cycles_to_steady, valid, reason
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_gait_and_law(parser)
    parser.add_argument("--table", default="", metavar="FILE", help="write the lookup table, .h or .csv, and stop")
    parser.add_argument("--entries", type=integer, help=f"of the table over a turn (default: {DEFAULT_ENTRIES})")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Solve the equations and print the steady state."""
    settings = read_all_settings(arguments)
    for section in settings:
        if section not in ("robot", "gait", "controller"):
            raise UserError(
                f"'{section}' settings mean nothing to the equations alone: give robot, gait and controller settings."
            )
    spec = load_robot(arguments.robot, settings.get("robot"))
    if arguments.table:
        return _write_lookup_table(spec, arguments)
    if arguments.entries is not None:
        raise UserError("--entries is about a lookup table: give --table too.")
    name = gait_name(spec, arguments.gait)
    result = {"robot": spec.name, "gait": name, **_predict(spec, name, arguments.controller, settings)}
    if arguments.json:
        print_json(result)
    else:
        _print(result, model_of(spec).columns)
    return 0 if result["valid"] else EXIT_NOT_DONE


def _predict(spec: RobotSpec, name: str, controller: str, settings: Settings) -> dict[str, Any]:
    """Return the gait's parameters and its steady state, by the law or by the robot's model."""
    law = law_name(spec, controller)
    LAWS[law].check(spec)
    values = {**law_defaults(spec, law), **settings.get("controller", {})}
    law_parameters: Any = build(LAWS[law].parameters, values, section="controller")
    prediction = LAWS[law].prediction
    if prediction is None and model_of(spec).predict is None:
        raise UserError(
            f"there are no equations that predict '{spec.name}' under the law {law}: run it, or choose another law."
        )
    given = settings.get("gait", {})
    gait = make_gait(spec, name, given)
    check_limits(spec, gait)
    parameters = {info.name: given.get(info.name, info.default) for info in gait_parameters(spec, name)}
    state = prediction.of(spec, gait, law_parameters) if prediction else predict(spec, gait)
    return {"gait_parameters": parameters, **state}


def _write_lookup_table(spec: RobotSpec, arguments: argparse.Namespace) -> int:
    where, file = model_of(spec).lookup, Path(arguments.table)
    if not where:
        raise UserError(f"there is no lookup table of '{spec.name}': its equations make none.")
    if file.suffix not in (".h", ".csv"):
        raise UserError(f"--table {file} is not allowed: the file must end in .h or .csv.")
    make: MakeLookup = import_object(where, what=f"the lookup table of '{spec.name}'")
    table = make(spec, DEFAULT_ENTRIES if arguments.entries is None else arguments.entries)
    try:
        file.write_text(table.header if file.suffix == ".h" else table.csv(), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror or error}.") from None
    if arguments.json:
        print_json({"robot": spec.name, "file": str(file), **table.numbers})
    else:
        print(f"{file}: {', '.join(f'{name} {value:.4g}' for name, value in table.numbers.items())}")
    return 0


COMMON_COLUMNS = (  # of every robot
    Column("step_length_m", "step length", lambda v: f"{v * 1e3:.4f} mm"),
    Column("speed_m_s", "speed", lambda v: f"{v * 1e3:.3f} mm/s"),
    Column("period_s", "period", lambda v: f"{v:.4f} s"),
    Column("cycles_to_steady", "cycles to steady state"),
)


def _print(result: dict[str, Any], own_columns: Sequence[Column]) -> None:
    from rich.table import Table

    table = Table(title=f"{result['robot']}, gait {result['gait']}, steady state by the equations", show_header=False)
    for column in (*COMMON_COLUMNS, *own_columns):
        value = result.get(column.key)
        table.add_row(column.meaning, "-" if finite(value) is None else column.text(value))
    table.add_row("valid", "yes" if result["valid"] else f"no: {result['reason']}")
    print_table(table)
