"""Limits on the efforts of joints that are driven by effort, as pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawler_core.robot.robot_spec import JointSpec
from crawler_core.types import FloatArray


@dataclass(frozen=True)
class TorqueLimits:
    """The limits of the effort-driven joints, as arrays."""

    joints: tuple[JointSpec, ...]
    lower: FloatArray  # rad
    upper: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m
    power: FloatArray  # W
    brake: FloatArray  # N·m·s/rad

    @staticmethod
    def of(joints: Sequence[JointSpec]) -> TorqueLimits:
        return TorqueLimits(
            joints=tuple(joints),
            lower=np.array([joint.lower for joint in joints]),
            upper=np.array([joint.upper for joint in joints]),
            velocity=np.array([joint.velocity for joint in joints]),
            effort=np.array([joint.effort for joint in joints]),
            power=np.array([joint.power for joint in joints]),
            brake=np.array([joint.idle_damping for joint in joints]),
        )


def limit_torque(wanted: FloatArray, position: FloatArray, velocity: FloatArray, limits: TorqueLimits) -> FloatArray:
    """`wanted` efforts, all finite, as far as the joints at this measured position and velocity may have them.

    What is within the limits comes back bit for bit. At the limit of its position or velocity a joint keeps only what
    leads back. Where the velocity is not known (NaN) there is no effort: its power would not be known either.
    """
    most = limits.effort.copy()
    moving = np.abs(velocity)
    strong = moving * most > limits.power
    most[strong] = limits.power[strong] / moving[strong]
    effort = np.minimum(np.maximum(wanted, -most), most)
    up = (position >= limits.upper) | (velocity >= limits.velocity)
    down = (position <= limits.lower) | (velocity <= -limits.velocity)
    outward = (up & (effort > 0.0)) | (down & (effort < 0.0))
    return np.where(outward | np.isnan(velocity), 0.0, effort)


def brake_torque(position: FloatArray, velocity: FloatArray, limits: TorqueLimits) -> FloatArray:
    """The efforts of joints that are commanded none: damping, within the limits."""
    return limit_torque(np.nan_to_num(-limits.brake * velocity), position, velocity, limits)


def clamp_text(k: int, wanted: float, position: float, velocity: float, limits: TorqueLimits) -> str:
    """Why joint `k` does not get the effort that it was commanded, in a sentence."""
    joint = limits.joints[k]
    if abs(wanted) > joint.effort:
        return f"{joint.name} was commanded {wanted:.3g} N m, its limit is {joint.effort:g} N m"
    if abs(wanted * velocity) > joint.power:
        return f"{joint.name} was commanded {wanted:.3g} N m at {velocity:.3g} rad/s, its limit is {joint.power:g} W"
    if abs(velocity) >= joint.velocity:
        return f"{joint.name} was pushed on at {velocity:.3g} rad/s, its limit is {joint.velocity:g} rad/s"
    return (
        f"{joint.name} was pushed on at {math.degrees(position):.1f} degrees, its limits are "
        f"{math.degrees(joint.lower):.1f} to {math.degrees(joint.upper):.1f}"
    )
