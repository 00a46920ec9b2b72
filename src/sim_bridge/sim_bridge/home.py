"""Where the joints of a simulation begin."""

from __future__ import annotations

import numpy as np

from crawler_core.closure import closure_of
from crawler_core.robot import RobotSpec
from crawler_core.types import FloatArray


def home_of(spec: RobotSpec) -> tuple[FloatArray, FloatArray]:
    """The joints' positions and velocities at the start, those of the loops as these close."""
    position = np.array([joint.home for joint in spec.joints])
    velocity = np.array([joint.home_velocity for joint in spec.joints])
    closure = closure_of(spec)
    return (position, velocity) if closure is None else closure.complete(closure.home(), velocity)
