"""Motion of the base at one time, from odometry or an external pose."""

from __future__ import annotations

from typing import NamedTuple


class BaseMotion(NamedTuple):
    """Motion of the base at one time, from odometry."""

    time_ns: int
    forward: float  # m/s, along the robot's heading
