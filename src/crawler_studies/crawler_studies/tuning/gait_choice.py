"""The choice of the gait that is tuned, where the user named none."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_core.errors import UserError
from crawler_core.parameters import describe
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait_registry import GAITS, gait_name


def choose_gait(spec: RobotSpec, named: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the gait for parameters with these full names, and a sentence where it is not the obvious one.

    It is the one that was `named`, else the robot's default, else the only one in the robot file that has them all.
    Raises UserError.
    """
    gait = gait_name(spec, named)
    wanted = {name.partition(".")[2] for name in names if name.startswith("gait.")}
    missing = sorted(wanted - _parameter_names(gait))
    if not missing:
        return gait, ""
    fitting = [name for name in spec.section("gait") if name in GAITS and wanted <= _parameter_names(name)]
    if not named and len(fitting) == 1:
        return fitting[0], f"The gait is {fitting[0]}, the only one of {spec.name} that has gait.{missing[0]}."
    if fitting:
        raise UserError(
            f"the gait '{gait}' has no gait.{missing[0]}: give the gait {' or '.join(fitting)}, which has it."
        )
    return gait, ""  # no gait has the parameter: the error of its lookup names similar ones


def _parameter_names(gait: str) -> set[str]:
    return {info.name for info in describe(GAITS[gait].parameters)}
