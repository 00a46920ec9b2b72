"""What an axis shall do for its joint: units, limits and setpoints. Pure functions, checked before any torque."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.bus.bus import JointMap
from hw_drivers.odrive.messages import (
    MAX_NODE_ID,
    ControlMode,
    InputMode,
    SetControllerMode,
    SetInputPos,
    SetInputTorque,
    SetInputVel,
    SetLimits,
)
from hw_drivers.odrive.settings import OdriveJoint

TURN_RAD = 2.0 * math.pi  # rad
CONTROL_MODES = {"position": ControlMode.POSITION, "velocity": ControlMode.VELOCITY, "torque": ControlMode.TORQUE}
VELOCITY_HEADROOM = 1.25  # of the drive's velocity limit over the joint's, so that the drive can catch up
MAX_INT16 = 32767


@dataclass(frozen=True)
class AxisPlan:
    """One joint's axis."""

    joint: JointMap
    own: OdriveJoint
    velocity_limit: float  # turns/s at the motor
    current_limit: float  # A

    @property
    def torque_limit(self) -> float:
        """N·m at the motor."""
        return self.current_limit * self.own.torque_constant

    def mode(self) -> SetControllerMode:
        """The message that chooses what the drive regulates."""
        return SetControllerMode(CONTROL_MODES[self.own.mode], InputMode.PASSTHROUGH)

    def limits(self) -> SetLimits:
        """The message that limits the drive."""
        return SetLimits(self.velocity_limit, self.current_limit)

    def angle(self, turns: float) -> float:
        """The joint's angle (rad)."""
        return self.joint.to_joint(turns * TURN_RAD)

    def rate(self, turns_per_s: float) -> float:
        """The joint's rate (rad/s)."""
        return self.joint.rate_to_joint(turns_per_s * TURN_RAD)

    def effort(self, current: float) -> float:
        """The joint's torque (N·m), without friction in the gear."""
        return current * self.own.torque_constant * self.joint.direction * self.joint.gear

    def motor_torque(self, effort: float) -> float:
        """The motor's torque (N·m) for the joint's, as far as the motor may give it; 0 for NaN."""
        wanted = 0.0 if math.isnan(effort) else effort / (self.joint.direction * self.joint.gear)
        return max(-self.torque_limit, min(wanted, self.torque_limit))


def plan_axis(joint: JointMap) -> AxisPlan:
    """What the drive of this joint is told. Raises UserError for a number that it cannot take."""
    own: OdriveJoint = joint.own
    key = f"hardware.joints.{joint.joint}"
    if not 0 <= joint.id <= MAX_NODE_ID:
        raise UserError(f"{key}.id = {joint.id} is not allowed: a CAN node id is 0 to {MAX_NODE_ID}.")
    if not own.torque_constant:
        raise UserError(f"{key}.torque_constant is missing: give the motor's, which is 8.27 over its kV, in N m/A.")
    if not own.max_current:
        raise UserError(f"{key}.max_current is missing: give the current that the motor stands for long, in A.")
    current = joint.effort / (own.torque_constant * joint.gear) if joint.effort else own.max_current
    if current > own.max_current:
        raise UserError(
            f"joints.{joint.joint}.effort = {joint.effort:g} N m needs {current:.3g} A, but {key}.max_current is "
            f"{own.max_current:g} A: lower the one, or raise the other if the motor stands it."
        )
    if joint.by_effort and own.mode != "torque":
        raise UserError(
            f"{joint.joint} is driven by effort, but {key}.mode = {own.mode} regulates its {own.mode}: "
            "write mode: torque."
        )
    if own.wrap and (math.isfinite(joint.lower) or abs(math.remainder(own.wrap, joint.gear)) > 1e-9 * own.wrap):
        raise UserError(
            f"{key}.wrap = {own.wrap:g} loses the joint's angle: it is for a continuous joint, and must be a whole "
            f"multiple of its gear, {joint.gear:g} turns of the motor for one of the joint."
        )
    velocity = joint.velocity * joint.gear / TURN_RAD
    if own.mode == "position" and velocity * own.velocity_scale > MAX_INT16:
        raise UserError(
            f"joints.{joint.joint}.velocity = {joint.velocity:g} rad/s is {velocity:.3g} turns/s of the motor, but "
            f"with a velocity scale of {own.velocity_scale:g} only {MAX_INT16 / own.velocity_scale:.3g} fit into a frame: "
            f"lower input_vel_scale in the drive, and {key}.velocity_scale with it."
        )
    torque = own.torque_constant * current
    if own.mode == "position" and torque * own.torque_scale > MAX_INT16:
        raise UserError(
            f"the motor of {joint.joint} gives up to {torque:.3g} N m, but with a torque scale of {own.torque_scale:g} "
            f"only {MAX_INT16 / own.torque_scale:.3g} fit into a frame: lower input_torque_scale in the drive, and "
            f"{key}.torque_scale with it."
        )
    return AxisPlan(joint, own, velocity * VELOCITY_HEADROOM, current)


def unwrap(turns: float, previous: float, wrap: float) -> float:
    """The angle nearest to `previous` that a drive which starts again after `wrap` turns shows as `turns`."""
    if not wrap:
        return turns
    return previous + math.remainder(turns - previous, wrap)


def setpoint(
    plan: AxisPlan, position: float, velocity: float, effort: float, measured: tuple[float, float]
) -> SetInputPos | SetInputVel | SetInputTorque:
    """The message that brings the joint to `position` (rad) at `velocity` (rad/s), with an effort (N·m) or NaN.

    `measured` is the joint's angle and rate, for the loops that are closed here. A joint that is driven by effort gets
    the effort as it is, and none for NaN.
    """
    own, joint = plan.own, plan.joint
    if joint.by_effort:
        return SetInputTorque(plan.motor_torque(effort))
    away, slow = position - measured[0], velocity - measured[1]
    if own.mode == "torque":
        total = own.stiffness * away + own.damping * slow + (0.0 if math.isnan(effort) else effort)
        return SetInputTorque(plan.motor_torque(total))
    torque = plan.motor_torque(effort)
    if own.mode == "velocity":
        wanted = joint.rate_to_motor(velocity + own.position_gain * away) / TURN_RAD
        return SetInputVel(max(-plan.velocity_limit, min(wanted, plan.velocity_limit)), torque)
    turns = joint.to_motor(position) / TURN_RAD
    if own.wrap:
        turns %= own.wrap
    rate = joint.rate_to_motor(velocity) / TURN_RAD
    return SetInputPos(turns, _scaled(rate, own.velocity_scale), _scaled(torque, own.torque_scale))


def _scaled(value: float, scale: float) -> int:
    return max(-MAX_INT16, min(round(value * scale), MAX_INT16))
