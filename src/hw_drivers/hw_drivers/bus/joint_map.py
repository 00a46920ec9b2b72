"""The place of one joint's motor, and the conversion between the motor's angle and the joint's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError

TURN_RAD = 2.0 * math.pi


@dataclass(frozen=True)
class JointMap:
    """One joint, its motor on a bus, and the limits that the robot file gives it."""

    joint: str
    id: int  # on its bus: servo id, CAN node, PWM channel
    direction: int  # 1, or -1 where the motor turns against the joint
    gear: float  # turns of the motor for one of the joint
    zero: float  # rad, the motor's angle where the joint's is 0
    lower: float  # rad at the joint, -inf for a continuous one
    upper: float  # rad at the joint, inf for a continuous one
    velocity: float  # rad/s at the joint, its limit
    effort: float  # N·m at the joint, its limit; 0: not limited
    settings: Any  # an instance of BusKind.joint_settings: the keys of this kind of bus
    is_effort_driven: bool = False  # driven by effort: the positions and velocities of its setpoints are ignored

    @property
    def key(self) -> str:
        """The joint's key in the robot file, for error messages."""
        return f"hardware.joints.{self.joint}"

    @property
    def is_continuous(self) -> bool:
        return not math.isfinite(self.lower)

    def to_motor(self, angle: float) -> float:
        """Return the motor's angle (rad) for a joint's."""
        return self.zero + self.direction * self.gear * angle

    def to_joint(self, angle: float) -> float:
        """Return the joint's angle (rad) for a motor's."""
        return (angle - self.zero) / (self.direction * self.gear)

    def rate_to_motor(self, rate: float) -> float:
        """Return the motor's rate (rad/s) for a joint's."""
        return self.direction * self.gear * rate

    def rate_to_joint(self, rate: float) -> float:
        """Return the joint's rate (rad/s) for a motor's."""
        return rate / (self.direction * self.gear)

    def check_id(self, last: int, rule: str) -> None:
        """Raise UserError for an id outside 0 to `last`; `rule` says what is allowed."""
        if not 0 <= self.id <= last:
            raise UserError(f"{self.key}.id = {self.id} is not allowed: {rule} 0 to {last}.")

    def check_current(self, torque_constant: float, max_current: float) -> float:
        """Return the motor's current limit (A): that of the joint's effort, or else `max_current` (A).

        Raises UserError where the effort needs more than `max_current`. `torque_constant` is the motor's, N·m/A.
        """
        if not self.effort:
            return max_current
        current = self.effort / (torque_constant * self.gear)
        if current > max_current * (1.0 + 1e-9):
            raise UserError(
                f"joints.{self.joint}.effort = {self.effort:g} N m needs {current:.3g} A, but {self.key}.max_current "
                f"is {max_current:g} A: lower the one, or raise the other if the motor stands it."
            )
        return current
