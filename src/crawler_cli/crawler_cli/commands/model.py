"""The equations of a robot alone, without ROS: what a gait does once it has settled."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_cli.console.arguments import add_json, add_settings, integer, read_all_settings
from crawler_cli.console.output import finite
from crawler_core.errors import UserError
from crawler_core.parameters import build
from crawler_core.registry import import_object
from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_models.model import Column
from crawler_models.models import model_of, predict
from gait_generators.kinds.gait_registry import gait_name, gait_parameters, make_gait
from gait_generators.kinds.limit_check import check_limits
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_name

if TYPE_CHECKING:
    from crawler_core.robot.robot_spec import RobotSpec
    from crawler_models.lookup import MakeLookup

ENTRIES = 512
HELP = """examples:
  crawler model --set gait.omega=8
  crawler model --gait time_scaled --set gait.alpha=0.5 --json
  crawler model ROBOT --table foot.h

--table writes where the foot is over the crank's angle, with its Jacobian, for a controller that looks it up: a C
header (.h, whole numbers of 16 bits) or a table (.csv, SI units), where a robot's equations have one, and nothing else.

exit codes: 0 the gait is valid, 1 the equations do not hold for it (a foot lifts, a motor is weak, ...), 2 bad input

where the law has a prediction of its own, that is what is printed: --controller and --set controller.<name> change it;
a robot's equations have keys of their own besides: the table that is printed without --json says what they mean

keys of --json with --table: robot, file, entries, and the errors of the table

keys of --json: robot, gait, gait_parameters, step_length_m, speed_m_s, period_s, cycles_to_steady, valid, reason
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler model`."""
    parser.add_argument("robot", nargs="?", default="", help=f"which robot (default: {default_robot()})")
    parser.add_argument("--gait", default="", help="the gait's name (default: the robot's)")
    parser.add_argument("--controller", default="", help="the control law (default: the robot's)")
    parser.add_argument(
        "--table", default="", metavar="FILE", help="write its lookup table, a .h or .csv file, and stop"
    )
    parser.add_argument("--entries", type=integer, help=f"of the table over a turn (default: {ENTRIES})")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what the equations say."""
    settings = read_all_settings(arguments)
    for section in settings:
        if section not in ("robot", "gait", "controller"):
            raise UserError(
                f"'{section}' settings mean nothing to the equations alone: give robot, gait and controller settings."
            )
    spec = load_robot(arguments.robot, settings.get("robot"))
    if arguments.table:
        return write_table(spec, arguments)
    if arguments.entries is not None:
        raise UserError("--entries is about a lookup table: give --table too.")
    model = model_of(spec)
    law = law_name(spec, arguments.controller)
    LAWS[law].check(spec)
    values = {**law_defaults(spec, law), **settings.get("controller", {})}
    under: Any = build(LAWS[law].parameters, values, section="controller")
    of_law = LAWS[law].prediction
    if of_law is None and model.predict is None:
        raise UserError(
            f"there are no equations that predict '{spec.name}' under the law {law}: run it, or choose another law."
        )
    name = gait_name(spec, arguments.gait)
    gait = make_gait(spec, name, settings.get("gait", {}))
    check_limits(spec, gait)
    said = settings.get("gait", {})
    parameters = {info.name: said.get(info.name, info.default) for info in gait_parameters(spec, name)}
    found = of_law.of(spec, gait, under) if of_law else predict(spec, gait)
    result = {"robot": spec.name, "gait": name, "gait_parameters": parameters, **found}
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        show(result, model.columns)
    return 0 if result["valid"] else 1


def write_table(spec: RobotSpec, arguments: argparse.Namespace) -> int:
    """Write the lookup table of the robot's kinematics."""
    where, file = model_of(spec).lookup, Path(arguments.table)
    if not where:
        raise UserError(f"there is no lookup table of '{spec.name}': its equations make none.")
    if file.suffix not in (".h", ".csv"):
        raise UserError(f"--table {file} is not allowed: the file must end in .h or .csv.")
    make: MakeLookup = import_object(where, what=f"the lookup table of '{spec.name}'")
    table = make(spec, ENTRIES if arguments.entries is None else arguments.entries)
    try:
        file.write_text(table.header if file.suffix == ".h" else table.csv(), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror or error}.") from None
    if arguments.json:
        print(json.dumps({"robot": spec.name, "file": str(file), **table.numbers}))
    else:
        print(f"{file}: {', '.join(f'{name} {value:.4g}' for name, value in table.numbers.items())}")
    return 0


COMMON = (  # what a table shows of every robot
    Column("step_length_m", "step length", lambda v: f"{v * 1e3:.4f} mm"),
    Column("speed_m_s", "speed", lambda v: f"{v * 1e3:.3f} mm/s"),
    Column("period_s", "period", lambda v: f"{v:.4f} s"),
    Column("cycles_to_steady", "cycles to steady state"),
)


def show(result: dict[str, Any], own: Sequence[Column]) -> None:
    """The result as a table: what every robot has, and its own columns."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{result['robot']}, gait {result['gait']}, steady state by the equations", show_header=False)
    for column in (*COMMON, *own):
        value = result.get(column.key)
        table.add_row(column.meaning, "-" if finite(value) is None else column.text(value))
    table.add_row("valid", "yes" if result["valid"] else f"no: {result['reason']}")
    Console().print(table)
