"""Which gait a tuning is about, where the user did not say."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_core.errors import UserError
from crawler_core.parameters import describe
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait_registry import GAITS, gait_name


def choose_gait(spec: RobotSpec, said: str, names: Sequence[str]) -> tuple[str, str]:
    """The gait for parameters with these full names, and a sentence where it is not the obvious one.

    It is what was `said`, else the robot's default, else the only one in the robot's file that has them all. Raises
    UserError.
    """
    gait = gait_name(spec, said)
    wanted = {name.partition(".")[2] for name in names if name.startswith("gait.")}
    missing = sorted(wanted - _parameters(gait))
    if not missing:
        return gait, ""
    own = [name for name in spec.section("gait") if name in GAITS]
    fitting = [name for name in own if wanted <= _parameters(name)]
    if said or len(fitting) != 1:
        if fitting:
            raise UserError(
                f"the gait '{gait}' has no gait.{missing[0]}: give the gait {' or '.join(fitting)}, which has it."
            )
        return gait, ""  # the parameter is in no gait: whoever looks it up knows what is near
    return fitting[0], f"The gait is {fitting[0]}, the only one of {spec.name} that has gait.{missing[0]}."


def _parameters(gait: str) -> set[str]:
    return {info.name for info in describe(GAITS[gait].parameters)}
