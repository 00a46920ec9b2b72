"""The limits and setpoints of one joint's axis, in the drive's units. Pure functions, checked before any torque."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.bus.joint_map import TURN_RAD, JointMap
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

CONTROL_MODES = {"position": ControlMode.POSITION, "velocity": ControlMode.VELOCITY, "torque": ControlMode.TORQUE}
VELOCITY_HEADROOM = 1.25  # the drive's velocity limit over the joint's, so that the drive can catch up
MAX_INT16 = 32767


@dataclass(frozen=True)
class AxisPlan:
    joint: JointMap
    settings: OdriveJoint
    velocity_limit: float  # turns/s at the motor
    current_limit: float  # A

    @property
    def torque_limit(self) -> float:
        """Torque limit (N·m) at the motor."""
        return self.current_limit * self.settings.torque_constant

    def mode(self) -> SetControllerMode:
        """Make the message that chooses the regulated quantity."""
        return SetControllerMode(CONTROL_MODES[self.settings.mode], InputMode.PASSTHROUGH)

    def limits(self) -> SetLimits:
        return SetLimits(self.velocity_limit, self.current_limit)

    def angle(self, turns: float) -> float:
        """Return the joint's angle (rad)."""
        return self.joint.to_joint(turns * TURN_RAD)

    def rate(self, turns_per_s: float) -> float:
        """Return the joint's rate (rad/s)."""
        return self.joint.rate_to_joint(turns_per_s * TURN_RAD)

    def effort(self, current: float) -> float:
        """Return the joint's torque (N·m) for a current (A), without friction in the gear."""
        return current * self.settings.torque_constant * self.joint.direction * self.joint.gear

    def motor_torque(self, effort: float) -> float:
        """Return the motor's torque (N·m) for the joint's, within the motor's limit; 0 for NaN."""
        wanted = 0.0 if math.isnan(effort) else effort / (self.joint.direction * self.joint.gear)
        return max(-self.torque_limit, min(wanted, self.torque_limit))


def plan_axis(joint: JointMap) -> AxisPlan:
    """Plan the drive of a joint. Raises UserError for a value that it cannot take."""
    drive: OdriveJoint = joint.settings
    key = joint.key
    joint.check_id(MAX_NODE_ID, "a CAN node id is")
    if not drive.torque_constant:
        raise UserError(f"{key}.torque_constant is missing: give the motor's, which is 8.27 over its kV, in N m/A.")
    if not drive.max_current:
        raise UserError(f"{key}.max_current is missing: give the motor's continuous current, in A.")
    current = joint.check_current(drive.torque_constant, drive.max_current)
    if joint.is_effort_driven and drive.mode != "torque":
        raise UserError(
            f"{joint.joint} is driven by effort, but {key}.mode = {drive.mode} regulates its {drive.mode}: "
            "write mode: torque."
        )
    if drive.wrap and (not joint.is_continuous or abs(math.remainder(drive.wrap, joint.gear)) > 1e-9 * drive.wrap):
        raise UserError(
            f"{key}.wrap = {drive.wrap:g} loses the joint's angle: it is for a continuous joint, and must be a whole "
            f"multiple of its gear, {joint.gear:g} turns of the motor for one of the joint."
        )
    velocity = joint.velocity * joint.gear / TURN_RAD
    max_velocity = MAX_INT16 / drive.velocity_scale
    if drive.mode == "position" and velocity > max_velocity:
        raise UserError(
            f"joints.{joint.joint}.velocity = {joint.velocity:g} rad/s is {velocity:.3g} turns/s of the motor, "
            f"but only {max_velocity:.3g} fit into a frame with a velocity scale of {drive.velocity_scale:g}: "
            f"lower input_vel_scale in the drive, and {key}.velocity_scale with it."
        )
    torque = drive.torque_constant * current
    max_torque = MAX_INT16 / drive.torque_scale
    if drive.mode == "position" and torque > max_torque:
        raise UserError(
            f"the motor of {joint.joint} gives up to {torque:.3g} N m, but only {max_torque:.3g} fit into a frame "
            f"with a torque scale of {drive.torque_scale:g}: lower input_torque_scale in the drive, and "
            f"{key}.torque_scale with it."
        )
    return AxisPlan(joint, drive, velocity * VELOCITY_HEADROOM, current)


def unwrap(turns: float, previous: float, wrap: float) -> float:
    """Return the angle nearest to `previous` that a drive shows as `turns`; `wrap` is its period, 0 for none."""
    if not wrap:
        return turns
    return previous + math.remainder(turns - previous, wrap)


def setpoint(
    plan: AxisPlan, position: float, velocity: float, effort: float, measured: tuple[float, float]
) -> SetInputPos | SetInputVel | SetInputTorque:
    """Make the message that brings the joint to `position` (rad) at `velocity` (rad/s), with an effort (N·m) or NaN.

    `measured` is the joint's angle and rate, for the loops that are closed here. An effort-driven joint gets the effort
    alone, and none for NaN.
    """
    drive, joint = plan.settings, plan.joint
    if joint.is_effort_driven:
        return SetInputTorque(plan.motor_torque(effort))
    position_error, velocity_error = position - measured[0], velocity - measured[1]
    if drive.mode == "torque":
        total = (
            drive.stiffness * position_error + drive.damping * velocity_error + (0.0 if math.isnan(effort) else effort)
        )
        return SetInputTorque(plan.motor_torque(total))
    torque = plan.motor_torque(effort)
    if drive.mode == "velocity":
        wanted = joint.rate_to_motor(velocity + drive.position_gain * position_error) / TURN_RAD
        return SetInputVel(max(-plan.velocity_limit, min(wanted, plan.velocity_limit)), torque)
    turns = joint.to_motor(position) / TURN_RAD
    if drive.wrap:
        turns %= drive.wrap
    rate = joint.rate_to_motor(velocity) / TURN_RAD
    return SetInputPos(turns, _scaled(rate, drive.velocity_scale), _scaled(torque, drive.torque_scale))


def _scaled(value: float, scale: float) -> int:
    return max(-MAX_INT16, min(round(value * scale), MAX_INT16))
