"""Interface of the map from a robot's velocity to the gait that makes it: what `cmd_vel` needs of the equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec


class VelocityRange(NamedTuple):
    """Velocities that a robot's gait can make. None is negative."""

    forward: float  # m/s, the fastest
    backward: float  # m/s, the fastest; 0: it cannot
    yaw: float = 0.0  # rad/s in place, to either side; 0: it cannot turn
    slowest: float = 0.0  # m/s: it stands still, or moves at least so fast


class GaitSetting(NamedTuple):
    """A gait's parameters for one velocity, in their own units, and the direction in which time runs along it."""

    parameters: Mapping[str, float]  # those that the velocity changes
    direction: float = 1.0  # -1: the same path of the joints backward; 0: rest


class VelocityMap(Protocol):
    """Gives the gait for a velocity."""

    @property
    def range(self) -> VelocityRange:
        """Return the velocities that the gait can make."""
        ...

    def motion_for(self, forward: float, yaw: float) -> GaitSetting:
        """Return the motion for a velocity (m/s, rad/s to the left) within the range that is not 0.

        Raises UserError for a curve at a speed that the gait cannot make. The caller then scales the velocity down, and
        also where the motion is too fast for the joints.
        """
        ...


# the gait of that name with some of its parameters changed
MakeMotion = Callable[[Mapping[str, Any]], PeriodicMotion]
# Of a robot, the name of its gait and the gait's parameters. Returns None for a gait without a map. It may take some
# seconds. Raises UserError where the equations find no speed.
MakeVelocityMap = Callable[[RobotSpec, str, Mapping[str, Any], MakeMotion], VelocityMap | None]
