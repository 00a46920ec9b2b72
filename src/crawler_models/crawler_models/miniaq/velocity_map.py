"""Velocity map of MinIAQ's trot: frequency of the cranks and difference of the sides, from a table of its equations.

In a curve the sides turn at different rates, so their phases drift through all differences. That costs a third of the
speed even in a gentle curve, and turns the robot much less than wheels on the same track. The table has the means over
many turns: `./crawler model miniaq --set gait.frequency=2 --set gait.turn=0.4` gives one of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.velocity_map import GaitSetting, MakeMotion, VelocityRange

STRIDE_M, TRACK_M = 0.0475, 0.16  # the robot file's; a gait with other ones scales the tables
FREQUENCY_HZ = np.array([0.0, 0.3, 0.75, 1.25, 2.0, 2.5])
FORWARD_M_S = np.array([0.0, 0.0137, 0.0350, 0.0615, 0.0990, 0.1209])  # straight on, at these frequencies
BACKWARD_M_S = np.array([0.0, 0.0137, 0.0346, 0.0561, 0.1038, 0.1289])
TABLE_FREQUENCY_HZ = 2.0  # of the tables of curves: way (m) and yaw (rad) in a turn of the faster side
TURN = np.array([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.35, 0.4, 0.6, 0.7, 0.8])  # gait.turn
FORWARD_M = np.array([33.5, 32.9, 31.1, 28.4, 26.3, 22.1, 19.4, 17.0, 11.0, 10.8, 7.3]) * 1e-3
FORWARD_YAW = np.array([0.0, 0.029, 0.047, 0.101, 0.158, 0.152, 0.169, 0.183, 0.228, 0.265, 0.231])
BACKWARD_M = np.array([33.5, 32.1, 29.3, 25.9, 22.0, 16.9, 13.2, 10.4, 3.8, 2.5, 1.2]) * 1e-3
BACKWARD_YAW = np.array([0.0, 0.027, 0.045, 0.071, 0.122, 0.133, 0.146, 0.152, 0.188, 0.217, 0.225])
IN_PLACE_YAW = 0.62  # rad, in a turn of the cranks with the sides against each other
FASTEST_IN_CURVES_HZ = 2.6  # faster legs stumble
LEAST_CURVATURE = 0.3  # rad/m: a curve that is more gentle is a straight line
MIN_FREQUENCY_HZ = 0.05  # that a gait may have


@dataclass(frozen=True)
class TrotVelocityMap:
    """Frequency and turn for a velocity."""

    way: float = 1.0  # factor on the ways of the tables
    yaw: float = 1.0  # factor on the yaw in a turn of the cranks

    @property
    def range(self) -> VelocityRange:
        fastest = float(FREQUENCY_HZ[-1])
        return VelocityRange(
            self.way * float(FORWARD_M_S[-1]), self.way * float(BACKWARD_M_S[-1]), self.yaw * IN_PLACE_YAW * fastest
        )

    def motion_for(self, forward: float, yaw: float) -> GaitSetting:
        straight, ways, yaws = (
            (FORWARD_M_S, FORWARD_M, FORWARD_YAW) if forward >= 0.0 else (BACKWARD_M_S, BACKWARD_M, BACKWARD_YAW)
        )
        way, turned = self.way * ways, self.yaw * yaws
        curvature = abs(yaw) / abs(forward) if forward else math.inf
        if curvature < LEAST_CURVATURE:
            return _motion(forward, float(np.interp(abs(forward), self.way * straight, FREQUENCY_HZ)), 0.0)
        if curvature > turned[-1] / way[-1]:
            return _motion(1.0, abs(yaw) / (self.yaw * IN_PLACE_YAW), math.copysign(1.0, yaw))
        turn = float(np.interp(curvature, turned / way, TURN))
        frequency = abs(forward) / float(np.interp(turn, TURN, way))
        if frequency > FASTEST_IN_CURVES_HZ:
            raise UserError(f"{forward:.3g} m/s with {yaw:.3g} rad/s is too fast a curve for the trot.")
        return _motion(forward, frequency, math.copysign(turn, yaw * forward))


def make_velocity_map(
    spec: RobotSpec, gait: str, values: Mapping[str, Any], make_motion: MakeMotion
) -> TrotVelocityMap | None:
    """Return the map of the trot; None for the other gaits."""
    if gait != "trot":
        return None
    way = values["stride"] / STRIDE_M
    return TrotVelocityMap(way, way * TRACK_M / values["track"])


def _motion(direction: float, frequency: float, turn: float) -> GaitSetting:
    return GaitSetting({"frequency": math.copysign(max(frequency, MIN_FREQUENCY_HZ), direction), "turn": turn})
