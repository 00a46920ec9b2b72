"""The equations of a robot alone, without ROS: what a gait does once it has settled."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from typing import Any

from crawler_cli.command import Command
from crawler_cli.commands.arguments import add_json, add_settings, settings_of
from crawler_core.errors import UserError
from crawler_core.robot import load_robot
from crawler_models.prediction import has_equations, predict
from gait_generators.catalogue import gait_name, gait_parameters, make_gait
from gait_generators.checks import check_limits

EPILOG = """examples:
  crawler model three_link --set gait.omega=8
  crawler model three_link --gait time_scaled --set gait.alpha=0.5 --json
  crawler model snake --gait serpenoid_closed --set gait.n=6

exit codes: 0 the gait is valid, 1 the equations do not hold for it (a foot lifts, a motor is weak, ...), 2 bad input

the snake has no mode_switches, min_normal_force_N, painleve_margin and unique, but slip (the share of d_step that is
missing), friction_work_J and slid_m (the longest way that a point slides) per cycle, peak_torque_N_m, peak_speed_rad_s,
d_step_m, d_unit, f, x_error_m, y_error_m, alpha_max_rad

keys of --json: robot, gait, gait_parameters, step_length_m, speed_m_s, period_s, mode_switches (phase in periods, modes
of foot 1 and 2 in the direction of travel), min_normal_force_N of either foot, painleve_margin, unique,
cycles_to_steady, valid, reason
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler model`."""
    parser.add_argument("robot", nargs="?", default="three_link", help="which robot (default: %(default)s)")
    parser.add_argument("--gait", default="", help="the gait's name (default: the robot's)")
    add_settings(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what the equations say."""
    settings = settings_of(arguments)
    for section in settings:
        if section not in ("robot", "gait"):
            raise UserError(f"'{section}' settings mean nothing to the equations alone: give robot and gait settings.")
    spec = load_robot(arguments.robot, settings.get("robot"))
    if not has_equations(spec.name):
        raise UserError(f"there are no equations for the robot '{spec.name}': its backends are pybullet and mock.")
    name = gait_name(spec, arguments.gait)
    gait = make_gait(spec, name, settings.get("gait", {}))
    check_limits(spec, gait)
    said = settings.get("gait", {})
    parameters = {info.name: said.get(info.name, info.default) for info in gait_parameters(spec, name)}
    prediction = predict(spec.name, spec.parameters, gait, [joint.effort for joint in spec.actuated])
    result = {"robot": spec.name, "gait": name, "gait_parameters": parameters, **prediction}
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        show(result)
    return 0 if result["valid"] else 1


# what a table shows of a prediction, in its order; each robot has some of these
ROWS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("step_length_m", "step length", lambda v: f"{v * 1e3:.4f} mm"),
    ("speed_m_s", "speed", lambda v: f"{v * 1e3:.3f} mm/s"),
    ("period_s", "period", lambda v: f"{v:.4f} s"),
    ("d_step_m", "d_step without slip (d = l d_unit)", lambda v: f"{v * 1e3:.4f} mm"),
    ("d_unit", "d_unit (12)", lambda v: f"{v:.4f}"),
    ("slip", "slip, share of d_step", lambda v: f"{100.0 * v:.2f} %"),
    ("f", "energy-loss function f (11)", lambda v: f"{v:.4f}"),
    ("x_error_m", "largest X error (10)", lambda v: f"{v * 1e3:.3f} mm"),
    ("y_error_m", "largest Y error (10)", lambda v: f"{v * 1e3:.3f} mm"),
    ("alpha_max_rad", "alpha stays below (14)", lambda v: f"{math.degrees(v):.2f}°"),
    ("friction_work_J", "work of friction per cycle", lambda v: f"{v:.3f} J"),
    ("slid_m", "longest way that a point slides", lambda v: f"{v * 1e3:.1f} mm"),
    ("peak_torque_N_m", "largest joint torque", lambda v: f"{v:.3f} N m"),
    ("peak_speed_rad_s", "largest joint speed", lambda v: f"{v:.3f} rad/s"),
    ("cycles_to_steady", "cycles to steady state", str),
    ("min_normal_force_N", "smallest normal force", lambda v: f"{v:.4f} N"),
    ("painleve_margin", "Painlevé margin", lambda v: f"{v:.4g}"),
    ("unique", "unique at every event", lambda v: "yes" if v else "no"),
    ("mode_switches", "modes of feet 1, 2", lambda v: _switches(v)),
)


def show(result: dict[str, Any]) -> None:
    """The result as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{result['robot']}, gait {result['gait']}, steady state by the equations", show_header=False)
    for key, label, text in ROWS:
        if key in result:
            table.add_row(label, "-" if finite(result[key]) is None else text(result[key]))
    table.add_row("valid", "yes" if result["valid"] else f"no: {result['reason']}")
    Console().print(table)


def _switches(switches: list[dict[str, Any]]) -> str:
    return "\n".join(f"t/T = {s['phase']:.4f}  {', '.join(s['modes'])}" for s in switches) or "none"


def finite(value: Any) -> Any:
    """`value` for JSON: what is not a finite number becomes null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


COMMAND = Command("the equations alone: step length, speed, contacts", __doc__, EPILOG, add_arguments, run)
