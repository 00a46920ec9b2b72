"""The motion of a servo that is driven by position, and of the link behind its gear."""

from __future__ import annotations

import math
from collections import deque

from crawler_core.reality.reality import Reality
from crawler_core.reality.servo_loop import follow_setpoint

MAX_STEP_S = 1e-3
BEST_BANDWIDTH_RAD_S = 60.0  # in place of an infinite one: goals in steps of 1.5 mrad make faster servos jerk
MAX_GOAL_PERIOD_S = 0.1  # over which a setpoint moves to a goal that comes after a pause
LINK_BANDWIDTH_RAD_S = 300.0  # with which a link comes to rest on its gear's teeth, or between them


class PositionServo:
    """A critically damped loop of second order round the angle of the servo's output, where its encoder is.

    A goal is a step, or with `interpolated` the servo moves its setpoint evenly from one goal to the next. A servo of
    infinite bandwidth does so too. The link behind the gear has play: it follows once the teeth touch. Friction is a
    dead band of the loop. Angles are the servo's. `angle` and `rate` are those of its output, `link_angle` and
    `link_rate` those of the link.
    """

    def __init__(self, angle: float, now: float, max_rate: float, reality: Reality, gear: float = 1.0) -> None:
        """Start at rest without torque. `max_rate` is in rad/s; `gear`: turns of the servo for one of the joint."""
        self.angle = self.link_angle = angle
        self.rate = self.link_rate = 0.0
        self.dead_band = 0.0  # rad
        self._max_rate = max_rate
        self._bandwidth = BEST_BANDWIDTH_RAD_S if math.isinf(reality.bandwidth) else reality.bandwidth
        self._is_interpolated = reality.interpolated or math.isinf(reality.bandwidth)
        self._delay = reality.command_delay
        self._play = 0.5 * reality.backlash * gear
        self._now = now
        self._has_torque = False
        self._setpoint, self._pace = angle, 0.0  # rad, rad/s
        self._arrival = (math.inf, angle)  # s and rad, where an interpolated setpoint ends
        self._goals: deque[tuple[float, float, float]] = deque()  # under way: arrival at the loop (s), goal, period (s)
        self._last_aim = -math.inf  # s

    @property
    def has_torque(self) -> bool:
        return self._has_torque

    def aim(self, goal: float, now: float) -> None:
        """Take a goal (rad), which reaches the loop after its delay."""
        self._goals.append((now + self._delay, goal, min(now - self._last_aim, MAX_GOAL_PERIOD_S)))
        self._last_aim = now

    def hold(self, goal: float) -> None:
        """Hold an angle (rad) with torque from now on."""
        self._goals.clear()
        self._has_torque = True
        self._setpoint, self._pace, self._arrival = goal, 0.0, (math.inf, goal)

    def release(self) -> None:
        """Take the torque off: the gears' friction holds the shaft."""
        self._goals.clear()
        self._has_torque = False
        self.rate = 0.0

    def place(self, angle: float) -> None:
        """Put it at an angle (rad), as by hand."""
        self.angle = self.link_angle = angle
        self.rate = self.link_rate = 0.0

    def advance(self, now: float) -> None:
        """Turn until `now` (s)."""
        while self._now < now:
            end = min(self._now + MAX_STEP_S, now)
            if self._goals and self._goals[0][0] <= self._now:
                self._begin(*self._goals.popleft()[1:])
            if self._arrival[0] <= self._now:
                self._setpoint, self._pace, self._arrival = self._arrival[1], 0.0, (math.inf, 0.0)
            end = min(end, self._arrival[0], self._goals[0][0] if self._goals else math.inf)
            if end > self._now:
                self._step(end - self._now)
                self._now = end

    def _begin(self, goal: float, period: float) -> None:
        if self._is_interpolated and period > 0.0:
            self._pace, self._arrival = (goal - self._setpoint) / period, (self._now + period, goal)
        else:
            self._setpoint, self._pace, self._arrival = goal, 0.0, (math.inf, goal)

    def _step(self, seconds: float) -> None:
        before = self.angle
        if self._has_torque:
            error = self.angle - self._setpoint
            error = math.copysign(max(abs(error) - self.dead_band, 0.0), error)
            turned, rate = follow_setpoint(error, self.rate, self._pace, self._bandwidth, seconds)
            if abs(rate) > self._max_rate:
                rate = math.copysign(self._max_rate, rate)
                turned = 0.5 * (self.rate + rate) * seconds
            self.angle += turned
            self.rate = rate
            self._setpoint += self._pace * seconds
        if self._play == 0.0:
            self.link_angle, self.link_rate = self.angle, self.rate
        else:
            self._move_link(before, seconds)

    def _move_link(self, before: float, seconds: float) -> None:
        """Push the link where the teeth touch; in between it comes to rest. `before`: the servo's angle until now."""
        offset, teeth_rate = 0.0, 0.0
        if abs(self.link_angle - self.angle) > self._play:
            side = math.copysign(self._play, self.link_angle - self.angle)
            offset, teeth_rate = self.link_angle - before - side, self.rate
        turned, rate = follow_setpoint(offset, self.link_rate - teeth_rate, 0.0, LINK_BANDWIDTH_RAD_S, seconds)
        self.link_angle += turned + (self.angle - before if teeth_rate else 0.0)
        self.link_rate = teeth_rate + rate
