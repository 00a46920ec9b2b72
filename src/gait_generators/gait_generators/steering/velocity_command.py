"""The velocity command of cmd_vel, and its timeout."""

from __future__ import annotations

import math
from typing import NamedTuple

COMMAND_TIMEOUT_NS = 500_000_000


class VelocityCommand(NamedTuple):
    forward: float  # m/s
    yaw: float  # rad/s, to the left
    note: str = ""  # what of the command the robot cannot do at all, and what it does instead


AT_STANDSTILL = VelocityCommand(0.0, 0.0)


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
