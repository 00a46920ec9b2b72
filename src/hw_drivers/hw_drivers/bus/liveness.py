"""Whether every joint is well: heard of lately, without errors, at a known angle. One rule for all buses."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hw_drivers.bus.bus import BusFault, Reading

MIN_MISSED_READINGS = 3  # in a row: one lost answer after this computer was slow is no dead servo


class Liveness:
    """Looks at each cycle's readings. An answer proves life, a packet that was sent does not."""

    def __init__(self, patience: float) -> None:
        """`patience` is how long (s) a joint may stay silent."""
        self._patience = patience
        self._heard: dict[str, float] = {}
        self._misses: dict[str, int] = {}
        self.missed = 0  # answers that did not come, of all joints

    def forget(self) -> None:
        """Start again, as after a reset."""
        self._heard.clear()
        self._misses.clear()

    def check(self, readings: Sequence[Reading], now: float) -> BusFault | None:
        """The first fault that this cycle's readings show."""
        for reading in readings:
            if self._heard.get(reading.joint) == reading.time:
                self.missed += 1
                self._misses[reading.joint] = self._misses.get(reading.joint, 0) + 1
            else:
                self._misses[reading.joint] = 0
            self._heard[reading.joint] = reading.time
        for reading in readings:
            if fault := self._judge(reading, now):
                return fault
        return None

    def _judge(self, reading: Reading, now: float) -> BusFault | None:
        joint = reading.joint
        if reading.errors:
            remedy = reading.remedy or "remove the cause, then call reset and enable"
            return BusFault(f"the motor of {joint} reports: {', '.join(reading.errors)}", remedy=remedy, joint=joint)
        silence = now - reading.time
        if silence > self._patience and self._misses[joint] >= MIN_MISSED_READINGS:
            return BusFault(
                f"the motor of {joint} has not answered for {silence:.2f} s",
                remedy=f"check the cable and the power of {joint}",
                joint=joint,
            )
        if not math.isfinite(reading.position) and math.isfinite(reading.time):
            return BusFault(f"the angle of {joint} is not a number", remedy=f"check the sensor of {joint}", joint=joint)
        return None
