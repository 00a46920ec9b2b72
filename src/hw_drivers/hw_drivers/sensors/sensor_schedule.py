"""The rate of a sensor that its bus reads faster than the robot file declares."""

from __future__ import annotations

import math

EARLY_SHARE = 0.5  # of a period by which a reading may come before it is due
MAX_LEAD_PERIODS = 2.0  # by which the next reading may be due: beyond, time went back


class SensorSchedule:
    """Passes on as many readings a second as the sensor has, of those that come more often."""

    def __init__(self, rate: float) -> None:
        """`rate` in Hz."""
        self._period = 1.0 / rate
        self._due = -math.inf  # s

    def is_due(self, time: float) -> bool:
        """Return whether the reading of `time` (s) is passed on."""
        early = self._due - time
        if EARLY_SHARE * self._period < early <= MAX_LEAD_PERIODS * self._period:
            return False
        is_regular = abs(early) <= self._period
        self._due = (self._due if is_regular else time) + self._period
        return True
