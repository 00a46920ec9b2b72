"""Predict MinIAQ's steady walk from the equations, as plain numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from crawler_core.gait_metrics.footfall import Footfall, intended_contacts, measure_footfall
from crawler_core.motion import PeriodicMotion
from crawler_core.types import FloatArray
from crawler_models.miniaq.equations.dynamics import legs, rotation
from crawler_models.miniaq.equations.quadruped import LEG_NAMES, Quadruped
from crawler_models.miniaq.walks.steady_walk import SAMPLES_PER_STRIDE, Steady, steady_walk, way_of
from crawler_models.miniaq.walks.walk import Walk

PREDICTION_KEYS = (
    "step_length_m",
    "speed_m_s",
    "mismatch",
    "drag_share",
    "pushed_back_share",
    "duty_front",
    "duty_hind",
    "three_down_share",
    "feet_down",
    "roll_amplitude_deg",
    "pitch_low_deg",
    "pitch_high_deg",
    "yaw_rate_deg_s",
    "yaw_per_stride_rad",
    "lateral_drift_m",
    "energy_per_stride_J",
    "cost_of_transport",
)


def predict_walk(robot: Quadruped, motion: PeriodicMotion) -> dict[str, Any]:
    """The steady walk in which the cranks turn evenly, as those of `motion` do, from standing.

    Keys: step_length_m (along the heading), speed_m_s, period_s (of a stride), cycles_to_steady, valid, reason, and the
    columns of the robot's model. It is not valid where the robot falls, where it cannot stand or its legs cannot turn,
    and where the walk does not become steady. Raises ValueError for cranks that do not turn evenly.
    """
    paces = motion.sample(np.linspace(0.0, motion.period, 8)).velocity
    if np.ptp(paces, axis=0).max() > 1e-9 * np.abs(paces).max():
        raise ValueError("the legs' cranks have to turn evenly, as in trot, walk, pace, bound and pronk.")
    found: dict[str, Any] = {
        **dict.fromkeys(PREDICTION_KEYS, math.nan),
        "period_s": motion.period,
        "cycles_to_steady": 0,
    }
    try:
        steady = steady_walk(robot, motion)
    except ValueError as error:
        return {**found, "valid": False, "reason": str(error)}
    numbers = _numbers(robot, motion, steady)
    return {**found, **numbers, "cycles_to_steady": steady.after, "valid": True, "reason": ""}


def footfall_of(motion: PeriodicMotion, steady: Steady) -> Footfall:
    """When the feet were down, beside what `motion` means."""
    times = steady.begin + steady.walk.times - steady.walk.times[0]
    down, forward = steady.walk.force[..., 2] > 0.0, forward_force(steady.walk)
    return measure_footfall(
        times, down, forward, times[::SAMPLES_PER_STRIDE], LEG_NAMES, intended_contacts(motion, times)
    )


def forward_force(walk: Walk) -> FloatArray:
    """Return the ground's force on each foot along the heading (N)."""
    yaw = walk.rpy[:, 2, None]
    return walk.force[..., 0] * np.cos(yaw) + walk.force[..., 1] * np.sin(yaw)


def driving_work(robot: Quadruped, walk: Walk, rates: FloatArray) -> float:
    """Return the positive work of the cranks on the legs; braking is not subtracted (J)."""
    foot = np.einsum("nij,nkj->nki", rotation(walk.rpy), legs(robot, walk.crank, rates)[1])
    power = -(walk.force * foot).sum(axis=-1)
    return float(np.diff(walk.times) @ power[1:].clip(min=0.0).sum(axis=1))


def _numbers(robot: Quadruped, motion: PeriodicMotion, steady: Steady) -> dict[str, float]:
    walk, strides, feet = steady.walk, steady.strides, footfall_of(motion, steady)
    moved, time = way_of(walk), strides * motion.period
    roll, pitch = np.degrees(walk.rpy[:, 0]), np.degrees(walk.rpy[:, 1])
    work = driving_work(robot, walk, motion.sample(0.0).velocity) / strides
    step = moved.forward / strides
    weight = robot.m * robot.g
    return {
        "step_length_m": step,
        "speed_m_s": step / motion.period,
        **feet.numbers,
        "roll_amplitude_deg": 0.5 * float(np.ptp(roll)),
        "pitch_low_deg": float(pitch.min()),
        "pitch_high_deg": float(pitch.max()),
        "yaw_rate_deg_s": math.degrees(moved.turn) / time,
        "yaw_per_stride_rad": moved.turn / strides,
        "lateral_drift_m": moved.lateral / strides,
        "energy_per_stride_J": work,
        "cost_of_transport": work / (weight * abs(step)) if step else math.nan,
    }
