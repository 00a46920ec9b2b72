"""What cmd_vel asks for: how fast to go forward and to turn, until nobody says it any more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import JointLimits
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import SteeredGait

SILENCE = 500_000_000  # ns after which a command holds no longer


class VelocityCommand(NamedTuple):
    """How the robot shall move in its own frame."""

    forward: float  # m/s
    yaw: float  # rad/s, to the left


AT_STANDSTILL = VelocityCommand(0.0, 0.0)


def parse_velocity_command(linear: Sequence[float], angular: Sequence[float]) -> VelocityCommand:
    """The drive of a twist, x y z each. Raises UserError for one that no such robot can follow."""
    if not np.isfinite([*linear, *angular]).all():
        raise UserError("cmd_vel has a number that is not finite: it is not followed.")
    if any((*linear[1:], *angular[:2])):
        raise UserError("cmd_vel asks for more than linear.x and angular.z, and this robot moves in no other way.")
    return VelocityCommand(linear[0], angular[2])


def rates_within_limits(
    spec: RobotSpec, gait: SteeredGait, drive: VelocityCommand
) -> tuple[FloatArray, VelocityCommand]:
    """The joints' rates (rad/s), and the drive that they come to.

    Where a joint would be too fast both speeds are less, in the same ratio: the robot stays on the curve.
    """
    rates = gait.rates(*drive)
    most = float((np.abs(rates) / JointLimits.of(spec).velocity).max())
    if most <= 1.0:
        return rates, drive
    return rates / most, VelocityCommand(drive.forward / most, drive.yaw / most)


class VelocityCommandBuffer:
    """The newest drive, until nobody says it any more."""

    def __init__(self) -> None:
        self.drive: VelocityCommand | None = None  # None: cmd_vel has never been heard
        self.complaint = ""  # that it has fallen silent
        self._heard = -math.inf  # ns

    def hear(self, drive: VelocityCommand, now_ns: int) -> bool:
        """Take a drive. Returns whether it is another one."""
        before, self.drive = self.drive, drive
        self._heard, self.complaint = now_ns, ""
        return drive != before

    def expire(self, now_ns: int) -> bool:
        """Come to rest where the last drive is too old. Returns whether there is another drive."""
        if self.drive is None or now_ns - self._heard <= SILENCE:
            return False
        before, self.drive = self.drive, AT_STANDSTILL
        if before == AT_STANDSTILL:
            return False
        self.complaint = f"no cmd_vel for {SILENCE * 1e-9:g} s: the robot stands still"
        return True
