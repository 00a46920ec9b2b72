"""The rule, the same for all buses, by which a joint's motor counts as alive and well."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hw_drivers.bus.bus import BusFault, Reading

MIN_MISSED_READINGS = 3  # in a row: one lost answer after this computer was slow is no dead servo


class Liveness:
    """Checks that each joint answered recently, without errors, at a known angle.

    An answer proves that a motor is alive. A packet that was sent does not.
    """

    def __init__(self, timeout: float) -> None:
        """Allow a joint `timeout` (s) without an answer."""
        self._timeout = timeout
        self._last_times: dict[str, float] = {}  # of the joints' readings
        self._misses: dict[str, int] = {}  # in a row
        self.missed = 0  # answers that did not come, of all joints

    def reset(self) -> None:
        """Start again, as after a reset of the devices."""
        self._last_times.clear()
        self._misses.clear()

    def check(self, readings: Sequence[Reading], now: float) -> BusFault | None:
        """Return the first fault that this cycle's readings show."""
        for reading in readings:
            if self._last_times.get(reading.joint) == reading.time:
                self.missed += 1
                self._misses[reading.joint] = self._misses.get(reading.joint, 0) + 1
            else:
                self._misses[reading.joint] = 0
            self._last_times[reading.joint] = reading.time
        return next((fault for reading in readings if (fault := self._fault_of(reading, now))), None)

    def _fault_of(self, reading: Reading, now: float) -> BusFault | None:
        joint = reading.joint
        if reading.errors:
            remedy = reading.remedy or "remove the cause, then call reset and enable"
            return BusFault(f"the motor of {joint} reports: {', '.join(reading.errors)}", remedy=remedy, joint=joint)
        silence = now - reading.time
        if silence > self._timeout and self._misses[joint] >= MIN_MISSED_READINGS:
            return BusFault(
                f"the motor of {joint} has not answered for {silence:.2f} s",
                remedy=f"check the cable and the power of {joint}",
                joint=joint,
            )
        if not math.isfinite(reading.position) and math.isfinite(reading.time):
            return BusFault(f"the angle of {joint} is not a number", remedy=f"check the sensor of {joint}", joint=joint)
        return None
