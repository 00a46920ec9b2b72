"""The measurement of a joint's motion by its device: late, noisy, with an error of its zero."""

from __future__ import annotations

import math
import random
from collections import deque

from crawler_core.reality.reality import Reality

BACKLASH_SPEED_RAD_S = 0.05  # of the joint, from which on a motor that pushes has taken up most of its gear's play


class EmulatedEncoder:
    """Measures the motion of one joint. Angles and rates are the joint's, times are those of any clock."""

    def __init__(self, reality: Reality, joint: str, seed: int, *, is_effort_driven: bool = False) -> None:
        """Errors depend on the seed and the joint's name alone."""
        self._reality = reality
        self._random = random.Random(f"{seed} {joint}")
        self.zero_error = reality.zero_error * self._random.gauss(0.0, 1.0)  # rad
        self._play = 0.5 * reality.backlash if is_effort_driven else 0.0
        self._past: deque[tuple[float, float, float]] = deque()  # time, angle, rate, since the oldest that is measured

    def record(self, now: float, angle: float, rate: float) -> None:
        """Take the true motion at `now` (s), in order of time."""
        self._past.append((now, angle, rate))
        while len(self._past) > 2 and self._past[1][0] <= now - self._reality.state_delay:
            self._past.popleft()

    def measure(self, now: float) -> tuple[float, float]:
        """Return the angle (rad) and the rate (rad/s) that are measured at `now` (s)."""
        reality = self._reality
        angle, rate = self._delayed(now - reality.state_delay)
        angle += self.zero_error + self._play * math.tanh(rate / BACKLASH_SPEED_RAD_S)
        if reality.position_noise:
            angle += self._random.gauss(0.0, reality.position_noise)
        if reality.velocity_noise:
            rate += self._random.gauss(0.0, reality.velocity_noise)
        return angle, rate

    def measure_rounded(self, now: float) -> tuple[float, float]:
        """Return the same in the steps of the encoder, for a device that has none of its own."""
        angle, rate = self.measure(now)
        angle_step = math.tau / self._reality.encoder_counts if self._reality.encoder_counts else 0.0
        return _rounded(angle, angle_step), _rounded(rate, self._reality.velocity_step)

    def _delayed(self, time: float) -> tuple[float, float]:
        """Return the true motion at `time` (s), between two records."""
        before = self._past[0]
        for one in self._past:
            if one[0] > time:
                share = (time - before[0]) / (one[0] - before[0]) if one[0] > before[0] else 0.0
                share = min(max(share, 0.0), 1.0)
                return before[1] + share * (one[1] - before[1]), before[2] + share * (one[2] - before[2])
            before = one
        return before[1], before[2]


def _rounded(value: float, step: float) -> float:
    return step * round(value / step) if step else value
