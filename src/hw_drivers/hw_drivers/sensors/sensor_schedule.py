"""The rate of a sensor that its bus reads faster than the robot file declares."""

from __future__ import annotations

import math

EARLY_SHARE = 0.5  # of a period by which a reading may come before it is due


class SensorSchedule:
    """Passes on as many readings a second as the sensor has, of those that come more often."""

    def __init__(self, rate: float) -> None:
        """`rate` in Hz."""
        self._period = 1.0 / rate
        self._due = -math.inf  # s

    def is_due(self, time: float) -> bool:
        """Return whether the reading of `time` (s) is passed on."""
        if time < self._due - EARLY_SHARE * self._period:
            return False
        late = time - self._due > self._period
        self._due = (time if late else self._due) + self._period
        return True
