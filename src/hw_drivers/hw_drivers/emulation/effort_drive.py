"""The way from a commanded to a real torque in a motor that is driven by effort."""

from __future__ import annotations

import math
from collections import deque

from crawler_core.reality.reality import Reality

REST_SPEED_SHARE = 0.01  # of a joint's speed: friction fades below it, so that a step cannot reverse a motor


class EffortDrive:
    """Delay, lag and limit of the torque of one motor, and the friction of its gear. Torques are the joint's, N·m."""

    def __init__(self, reality: Reality, max_torque: float, max_speed: float, step_s: float) -> None:
        """`max_torque` of the joint, 0: none; its gear's friction fades below a share of `max_speed` (rad/s)."""
        self.torque = 0.0
        self._limit = reality.torque_share * max_torque if max_torque and reality.torque_share < 1.0 else math.inf
        bandwidth = reality.current_bandwidth
        self._share = 1.0 if math.isinf(bandwidth) else -math.expm1(-bandwidth * step_s)
        self._inputs: deque[float] = deque()
        self._delay_steps = round(reality.command_delay / step_s)
        self._friction = reality.gear_friction
        self._rest_speed = REST_SPEED_SHARE * max_speed

    def delayed(self, value: float) -> float:
        """Return the input of so many steps ago; each step passes one."""
        if not self._delay_steps:
            return value
        self._inputs.append(value)
        return self._inputs.popleft() if len(self._inputs) > self._delay_steps else 0.0

    def switch_off(self) -> None:
        """Take the torque off at once."""
        self._inputs.clear()
        self.torque = 0.0

    def follow(self, torque: float) -> float:
        """Let the torque follow for a step; return it."""
        wanted = min(max(torque, -self._limit), self._limit)
        self.torque += self._share * (wanted - self.torque)
        return self.torque

    def friction(self, rate: float) -> float:
        """Return the torque by which the gear's friction brakes at a rate (rad/s) of the joint."""
        return self._friction * math.tanh(rate / self._rest_speed) if self._friction else 0.0
