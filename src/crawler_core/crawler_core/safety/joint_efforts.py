"""Limits on the efforts of joints that are driven by effort."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crawler_core.robot.robot_spec import JointSpec


class JointEfforts:
    """Limits the efforts of effort-driven `joints`, in this order, by the position and velocity that are measured.

    Efforts within the limits pass bit for bit.
    """

    def __init__(self, joints: Sequence[JointSpec]) -> None:
        self.joints = tuple(joints)

    def limit(
        self, wanted: Sequence[float], position: Sequence[float], velocity: Sequence[float]
    ) -> tuple[list[float], str]:
        """Return the allowed efforts (N·m), and why the first that differs does; a joint with NaN wanted is braked."""
        allowed, reason = [], ""
        for joint, effort, q, v in zip(self.joints, wanted, position, velocity, strict=True):
            if not math.isfinite(effort):
                allowed.append(_limit(joint, -joint.idle_damping * v, q, v))
                continue
            limited = _limit(joint, effort, q, v)
            allowed.append(limited)
            if limited != effort and not reason:
                reason = _reason(joint, effort, q, v)
        return allowed, reason

    def brake(self, position: Sequence[float], velocity: Sequence[float]) -> list[float]:
        """Return the efforts of joints that are commanded none: their idle damping, within the limits."""
        return self.limit([math.nan] * len(self.joints), position, velocity)[0]


def _limit(joint: JointSpec, wanted: float, position: float, velocity: float) -> float:
    """Limit an effort by torque and power; at the limit of position or speed, allow only efforts that lead back.

    Without a known velocity (NaN) there is no effort, since its power is not known; NaN as an effort is none either.
    """
    if math.isnan(velocity) or math.isnan(wanted):
        return 0.0
    speed, most = abs(velocity), joint.effort
    if speed * most > joint.power:
        most = joint.power / speed
    effort = min(max(wanted, -most), most)
    if effort > 0.0 and (position >= joint.upper or velocity >= joint.velocity):
        return 0.0
    if effort < 0.0 and (position <= joint.lower or velocity <= -joint.velocity):
        return 0.0
    return effort


def _reason(joint: JointSpec, wanted: float, position: float, velocity: float) -> str:
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
