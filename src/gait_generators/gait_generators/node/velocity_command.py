"""The velocity command of cmd_vel: parsing, limiting, and its timeout."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import Twist

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import JointLimits
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import SteeredGait

COMMAND_TIMEOUT_NS = 500_000_000


class VelocityCommand(NamedTuple):
    forward: float  # m/s
    yaw: float  # rad/s, to the left


AT_STANDSTILL = VelocityCommand(0.0, 0.0)


def parse_velocity_command(message: Twist) -> VelocityCommand:
    """Return the command of a twist. Raises UserError for one that the robot cannot follow."""
    linear, angular = message.linear, message.angular
    if not np.isfinite([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]).all():
        raise UserError("cmd_vel has a number that is not finite: it is ignored.")
    if any((linear.y, linear.z, angular.x, angular.y)):
        raise UserError("cmd_vel has a velocity other than linear.x and angular.z: the robot cannot move so.")
    return VelocityCommand(linear.x, angular.z)


def limit_velocity(spec: RobotSpec, gait: SteeredGait, command: VelocityCommand) -> tuple[FloatArray, VelocityCommand]:
    """Return the joint rates (rad/s) for a command, and the command that they execute.

    Where a joint would be too fast, both velocities are scaled by the same ratio: the robot stays on the curve.
    """
    rates = gait.rates(*command)
    excess = float((np.abs(rates) / JointLimits.of(spec).velocity).max())
    if excess <= 1.0:
        return rates, command
    return rates / excess, VelocityCommand(command.forward / excess, command.yaw / excess)


class VelocityCommandBuffer:
    """Holds the newest command; after `COMMAND_TIMEOUT_NS` without a new one it is standstill."""

    def __init__(self) -> None:
        self.command: VelocityCommand | None = None  # None: cmd_vel has never been received
        self.warning = ""  # set after the timeout
        self._received_ns = -math.inf

    def update(self, command: VelocityCommand, now_ns: int) -> bool:
        """Store a command. Return True if it differs from the last one."""
        before, self.command = self.command, command
        self._received_ns, self.warning = now_ns, ""
        return command != before

    def expire(self, now_ns: int) -> bool:
        """Command a standstill if the last command is too old. Return True if that changes the command."""
        if self.command is None or now_ns - self._received_ns <= COMMAND_TIMEOUT_NS:
            return False
        before, self.command = self.command, AT_STANDSTILL
        if before == AT_STANDSTILL:
            return False
        self.warning = f"no cmd_vel for {COMMAND_TIMEOUT_NS * 1e-9:g} s: the robot stands still"
        return True
