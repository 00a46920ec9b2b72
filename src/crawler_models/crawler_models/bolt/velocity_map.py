"""Velocity map of the running leg: rate of the gait's reference for a speed, by the ramps that the law makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.prediction import robot_law
from crawler_models.bolt.simulation.sampled_run import Start, simulate_sampled
from crawler_models.interface.velocity_map import GaitSetting, MakeMotion, VelocityRange

POINTS = 5  # runs from the slowest ramps to the fastest
STRIDES, STEADY_STRIDES = 24, 10  # of each run, and those of them that count


@dataclass(frozen=True)
class RunningVelocityMap:
    """The reference's rate for a speed. The leg runs forward only, and not slower than `speed[0]`."""

    speed: FloatArray  # m/s, growing
    rate: FloatArray  # rad/s, of the reference, backward

    @property
    def range(self) -> VelocityRange:
        return VelocityRange(float(self.speed[-1]), 0.0, slowest=float(self.speed[0]))

    def motion_for(self, forward: float, yaw: float) -> GaitSetting:
        return GaitSetting({"omega": -float(np.interp(forward, self.speed, self.rate))})


def make_velocity_map(
    spec: RobotSpec, gait: str, values: Mapping[str, Any], make_motion: MakeMotion
) -> RunningVelocityMap | None:
    """Return the map of the law in the robot file, from rest. Raises UserError for ramps that do not run."""
    law = robot_law(spec)
    if "omega" not in values or not law.gait_rate:
        return None
    leg, crank = Leg.from_parameters(spec.parameters), spec.actuated[0]
    rates, speeds = np.linspace(law.slow_gait_rate, law.gait_rate, POINTS), []
    for rate in rates.tolist():
        ramps = law.at_gait_rate(rate)
        run = simulate_sampled(leg, ramps, Start.of(spec), STRIDES, torque=crank.effort, power=crank.power)
        if run.reason:
            raise UserError(f"{spec.name} does not run with its reference at {rate:.3g} rad/s: {run.reason}.")
        speeds.append(run.speed(STEADY_STRIDES))
    if not (np.diff([0.0, *speeds]) > 0.0).all():
        found = ", ".join(f"{speed:.3g}" for speed in speeds)
        raise UserError(f"the speeds of {spec.name} do not grow with its ramps ({found} m/s): cmd_vel cannot set them.")
    return RunningVelocityMap(np.array(speeds), rates)
