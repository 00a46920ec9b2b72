"""Velocity map of four crank-driven legs by their gait's stride and track: speeds are proportional to the rates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.velocity_map import GaitSetting, MakeMotion, VelocityRange

MIN_FREQUENCY_HZ = 0.05


@dataclass(frozen=True)
class StrideMap:
    """Turns of the cranks for a velocity; the left and the right legs turn at different rates in a curve."""

    stride: float  # m, travel per turn of all cranks
    track: float  # m, effective distance of left and right legs
    fastest: float  # Hz, of a crank

    @property
    def range(self) -> VelocityRange:
        speed = self.stride * self.fastest
        return VelocityRange(speed, speed, 2.0 * speed / self.track)

    def motion_for(self, forward: float, yaw: float) -> GaitSetting:
        difference = 0.5 * self.track * yaw
        left, right = (forward - difference) / self.stride, (forward + difference) / self.stride
        fast, slow, side = (left, right, -1.0) if abs(left) > abs(right) else (right, left, 1.0)
        frequency = math.copysign(max(abs(fast), MIN_FREQUENCY_HZ), fast)
        return GaitSetting({"frequency": frequency, "turn": side * 0.5 * (1.0 - slow / fast)})


def make_stride_map(spec: RobotSpec, gait: str, values: Mapping[str, Any], make_motion: MakeMotion) -> StrideMap:
    """Return the map of a gait with the parameters `stride` and `track`."""
    return StrideMap(values["stride"], values["track"], min(joint.velocity for joint in spec.actuated) / math.tau)
