"""Steering with a slow loop over the speed: odometry corrects the speed that the map is asked for."""

from __future__ import annotations

from crawler_core.gait_metrics.heading import Heading
from gait_generators.steering.velocity_command import AT_STANDSTILL, VelocityCommand
from gait_generators.steering.velocity_steering import SteeredCommand, VelocitySteering

MAX_SPEED_TRIM = 0.4  # the default limit of the correction, as a share of the wanted speed
GAIN = 0.5  # of the speed's error over a stride, as a share of the wanted speed
DEAD_SHARE = 0.01  # of the wanted speed: a smaller correction is not worth a change of the motion
SKIPPED_STRIDES = 1  # after a change, in which the robot comes to its new speed


class TrimmedSteering:
    """Executes velocity commands. After each stride straight on, the speed of the map changes by a share of the error.

    `trim` is the correction, as a share of the wanted speed. It begins at 0 with each new speed.
    """

    def __init__(self, steering: VelocitySteering, limit: float) -> None:
        """`limit` is the largest correction, as a share of the wanted speed; 0: none."""
        self.steering = steering
        self.trim = 0.0
        self._limit = limit
        self._command = AT_STANDSTILL
        self._start_s: float | None = None  # of the stride that is measured
        self._begin(0.0, 0.0)

    def execute(self, command: VelocityCommand) -> SteeredCommand:
        """Return the motion for a command."""
        plain = self.steering.execute(command)
        straight_on = 0.0 if plain.executed.yaw else plain.executed.forward
        if straight_on != self._wanted:
            self.trim = 0.0
        self._command = command
        self._begin(straight_on, plain.gait.period)
        return self.steering.execute(command, self.trim) if self.trim else plain

    def measure(self, time_s: float, x: float, y: float, heading: Heading) -> SteeredCommand | None:
        """Take the pose (m) at a time. Return the motion where it changes by this."""
        if not self._wanted or not self._limit:
            return None
        if self._start_s is None or time_s < self._start_s:
            self._start_s, self._last, self._way = time_s, (x, y), 0.0
            return None
        self._way += heading.forward(x - self._last[0], y - self._last[1])
        self._last = (x, y)
        if time_s - self._start_s < self._stride_s:
            return None
        speed = self._way / (time_s - self._start_s)
        self._start_s, self._way = time_s, 0.0
        if self._skip:
            self._skip -= 1
            return None
        trim = min(max(self.trim + GAIN * (1.0 - speed / self._wanted), -self._limit), self._limit)
        if abs(trim - self.trim) < DEAD_SHARE:
            return None
        self.trim = trim
        changed = self.steering.execute(self._command, trim)
        self._begin(self._wanted, changed.gait.period)
        return changed

    def _begin(self, wanted: float, stride_s: float) -> None:
        """Measure the next strides at a speed (m/s), 0 for none."""
        self._wanted, self._stride_s, self._skip = wanted, stride_s, SKIPPED_STRIDES
        self._start_s = None
        self._last, self._way = (0.0, 0.0), 0.0  # m, and m forward since the stride began
