"""Velocity map of the snake: pace and direction of its wave for a speed, by the quasi-static equations.

The step does not depend on the pace, so speed is proportional to it. Backward the wave runs in reverse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.velocity_map import GaitSetting, MakeMotion, VelocityRange
from crawler_models.snake.ground.cycle import crawl, weakest
from crawler_models.snake.snake import Snake

LEAST_OMEGA = 0.05  # rad/s, that a gait may have
TICKS_PER_CYCLE = 240  # a quarter of those of a prediction, 0.3 % off
FASTEST_OMEGA = 1.2  # rad/s: the joints of the default gait then turn at 2.7 rad/s, their motors at 3 at most


@dataclass(frozen=True)
class SnakeVelocityMap:
    """The pace for a speed."""

    per_omega: float  # m, speed at 1 rad/s; negative where the gait crawls backward

    @property
    def range(self) -> VelocityRange:
        fastest = FASTEST_OMEGA * abs(self.per_omega)
        return VelocityRange(fastest, fastest)

    def motion_for(self, forward: float, yaw: float) -> GaitSetting:
        omega = max(abs(forward / self.per_omega), LEAST_OMEGA)
        return GaitSetting({"omega": omega}, math.copysign(1.0, forward / self.per_omega))


def make_velocity_map(
    spec: RobotSpec, gait: str, values: Mapping[str, Any], make_motion: MakeMotion
) -> SnakeVelocityMap | None:
    """Return the map of a gait that has a pace. Raises UserError for a gait that the motors cannot do."""
    if "omega" not in values:
        return None
    cycle = crawl(Snake.from_parameters(spec.parameters), make_motion({"omega": 1.0}), TICKS_PER_CYCLE)
    if over := weakest(cycle.torque, [joint.effort for joint in spec.actuated]):
        raise UserError(
            f"the gait '{gait}' of {spec.name} has no speed: {spec.actuated_names[over[0]]} would need {over[1]:.2f} "
            "times its effort. Lower gait.alpha."
        )
    return SnakeVelocityMap(cycle.mean_speed)
