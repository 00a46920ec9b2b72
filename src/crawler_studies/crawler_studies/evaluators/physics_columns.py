"""Columns that a physics engine can measure of a steady run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crawler_core.description.urdf import total_weight
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_studies.recordings.run_window import RunWindow, Strides
from gait_generators.kinds.gait import Gait


@dataclass(frozen=True)
class SteadyRun:
    """The window of a run in which it is steady."""

    spec: RobotSpec
    gait: Gait
    window: RunWindow
    strides: Strides  # the whole ones of the window
    periods: float  # of the gait, in the window

    @property
    def stride_count(self) -> float:
        """Number of strides in the whole window, with fractions."""
        by_period = self.spec.stride.event == "period"
        return self.strides.count if by_period else self.window.time / self.strides.period

    @cached_property
    def footfall(self) -> dict[str, float]:
        return self.window.measure_footfall(self.gait, self.periods).numbers

    @cached_property
    def attitude(self) -> FloatArray:
        """Roll and pitch after each tick, degrees."""
        return np.degrees(self.window.attitude[:, :2])

    @property
    def cost_of_transport(self) -> float:
        return self.window.work / self.stride_count / (total_weight(self.spec) * abs(self.strides.step))


PHYSICS_COLUMNS: Mapping[str, Callable[[SteadyRun], float]] = {
    "peak_torque_N_m": lambda run: run.window.peak_torque,
    "peak_power_W": lambda run: run.window.peak_power,
    "peak_speed_rad_s": lambda run: run.window.peak_speed,
    "least_forward_m_s": lambda run: run.window.least_forward_speed,
    "peak_force_N": lambda run: run.window.peak_force,
    "friction_used": lambda run: run.window.friction_used,
    "slip_per_stride_m": lambda run: run.window.slip / run.stride_count,
    "friction_work_J": lambda run: run.window.friction_work / run.stride_count,
    "energy_per_stride_J": lambda run: run.window.work / run.stride_count,
    "cost_of_transport": lambda run: run.cost_of_transport,
    "lateral_drift_m": lambda run: run.strides.drift / run.strides.count,
    "yaw_per_stride_rad": lambda run: run.strides.turn / run.strides.count,
    "yaw_rate_deg_s": lambda run: math.degrees(run.strides.turn) / run.strides.time,
    "roll_amplitude_deg": lambda run: 0.5 * float(np.ptp(run.attitude[:, 0])),
    "pitch_low_deg": lambda run: float(run.attitude[:, 1].min()),
    "pitch_high_deg": lambda run: float(run.attitude[:, 1].max()),
    "mismatch": lambda run: run.footfall["mismatch"],
    "drag_share": lambda run: run.footfall["drag_share"],
    "pushed_back_share": lambda run: run.footfall["pushed_back_share"],
    "feet_down": lambda run: run.footfall["feet_down"],
    "three_down_share": lambda run: run.footfall["three_down_share"],
    "duty_front": lambda run: run.footfall.get("duty_front", math.nan),
    "duty_hind": lambda run: run.footfall.get("duty_hind", math.nan),
}
