"""A table of a robot's kinematics that a controller looks up, and the files it comes as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray


@dataclass(frozen=True)
class Lookup:
    """One table, ready to be written."""

    columns: Mapping[str, FloatArray]  # of one length, named with their units
    header: str  # the same as C
    numbers: Mapping[str, float]  # its size and errors, in SI units, by keys that have the unit at their end

    def csv(self) -> str:
        rows = np.column_stack(list(self.columns.values()))
        lines = [",".join(self.columns), *(",".join(f"{value:.9g}" for value in row) for row in rows)]
        return "\n".join(lines) + "\n"


# of the robot, with so many entries over a turn; raises UserError where there is no such table
MakeLookup = Callable[[RobotSpec, int], Lookup]
