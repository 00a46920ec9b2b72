"""The equations of a robot alone, without ROS: what a gait does once it has settled."""

from __future__ import annotations

import argparse
import json
import math
from typing import Any

from crawler_bringup.cli.arguments import add_json, add_settings, settings_of
from crawler_core.errors import UserError
from crawler_core.robot import load_robot
from crawler_models.prediction import has_equations, predict
from gait_generators.catalogue import gait_name, gait_parameters, make_gait
from gait_generators.checks import check_limits

EPILOG = """examples:
  crawler model three_link --set gait.omega=8
  crawler model three_link --gait time_scaled --set gait.alpha=0.5 --json

exit codes: 0 the gait is valid, 1 the equations do not hold for it (a foot lifts, ...), 2 bad input

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
    prediction = predict(spec.name, spec.parameters, gait)
    result = {"robot": spec.name, "gait": name, "gait_parameters": parameters, **prediction}
    if arguments.json:
        print(json.dumps(finite(result)))
    else:
        show(result)
    return 0 if result["valid"] else 1


def show(result: dict[str, Any]) -> None:
    """The result as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{result['robot']}, gait {result['gait']}, steady state by the equations", show_header=False)
    table.add_row("step length", f"{result['step_length_m'] * 1e3:.4f} mm")
    table.add_row("speed", f"{result['speed_m_s'] * 1e3:.3f} mm/s")
    table.add_row("period", f"{result['period_s']:.4f} s")
    table.add_row("cycles to steady state", str(result["cycles_to_steady"]))
    table.add_row("smallest normal force", f"{result['min_normal_force_N']:.4f} N")
    table.add_row("Painlevé margin", f"{result['painleve_margin']:.4g}")
    table.add_row("unique at every event", "yes" if result["unique"] else "no")
    switches = "\n".join(f"t/T = {s['phase']:.4f}  {', '.join(s['modes'])}" for s in result["mode_switches"])
    table.add_row("modes of feet 1, 2", switches or "none")
    table.add_row("valid", "yes" if result["valid"] else f"no: {result['reason']}")
    Console().print(table)


def finite(value: Any) -> Any:
    """`value` for JSON: what is not a finite number becomes null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
