"""What a watched ring has said, and the step length that follows from it. Times are the ring's own."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from crawler_core.types import ContactMode

# Blocks of periods that differ by less are steady: what beating of the gait with the ticks leaves over.
RELATIVE = 2e-3  # of the step length
ABSOLUTE = 3e-5  # m
BLOCK_TIME = 1.5  # s that a block lasts at least, so that a fast gait is averaged
MOST_BLOCKS = 12  # until a crawl counts as one that does not settle
OPEN_SHARE = 0.02  # of the contact states: less is what physics makes of a touch-down


@dataclass
class RingLog:
    """The ring since the log was last cleared. Odometry is (t, x, x velocity) in the world."""

    odometry: list[tuple[float, float, float]] = field(default_factory=list)
    contacts: int = 0  # states of feet
    lifted: dict[str, int] = field(default_factory=dict)  # how many of them had the foot in the air
    went_back: bool = False  # time did: the ring was started again

    def on_odometry(self, time: float, x: float, speed: float) -> None:
        if self.odometry and time < self.odometry[-1][0]:
            self.went_back = True
            self.odometry.clear()
        if not self.odometry or time > self.odometry[-1][0]:
            self.odometry.append((time, x, speed))

    def on_contacts(self, modes: Mapping[str, int]) -> None:
        self.contacts += 1
        for foot, mode in modes.items():
            if mode == ContactMode.OPEN:
                self.lifted[foot] = self.lifted.get(foot, 0) + 1

    @property
    def now(self) -> float:
        """The time of the latest odometry; NaN before there was any."""
        return self.odometry[-1][0] if self.odometry else math.nan

    def clear(self) -> None:
        """Forget all but the present."""
        self.odometry = self.odometry[-1:]
        self.contacts, self.lifted, self.went_back = 0, {}, False

    def x_at(self, time: float) -> float:
        """The base's x at a time between two messages, by the cubic through their positions and speeds."""
        i = bisect_right(self.odometry, time, key=lambda sample: sample[0])
        if i == len(self.odometry) and time == self.now:
            return self.odometry[-1][1]
        if i == 0 or i == len(self.odometry):
            return math.nan
        (t0, x0, v0), (t1, x1, v1) = self.odometry[i - 1], self.odometry[i]
        h = t1 - t0
        s = (time - t0) / h
        bend = (1.0 - s) * (h * v0 - (x1 - x0)) - s * (h * v1 - (x1 - x0))
        return x0 + s * (x1 - x0) + s * (1.0 - s) * bend

    def foot_in_the_air(self) -> str:
        """A foot that left the ground for longer than a moment, or ''."""
        return next((foot for foot, count in self.lifted.items() if count > OPEN_SHARE * self.contacts), "")


@dataclass(frozen=True)
class Measurement:
    """A crawl, block of periods by block, from `begin` on until two in a row agree."""

    begin: float  # s, when the gait is in force
    period: float  # s

    @property
    def periods(self) -> int:
        """In a block."""
        return max(1, math.ceil(BLOCK_TIME / self.period - 1e-9))

    def steps(self, log: RingLog) -> list[float]:
        """The mean step length of each whole block that the log has, m."""
        block = self.periods * self.period
        count = max(0, int((log.now - self.begin) / block + 1e-9)) if log.odometry else 0
        marks = [log.x_at(self.begin + k * block) for k in range(min(count, MOST_BLOCKS) + 1)]
        return [(after - before) / self.periods for before, after in pairwise(marks)]

    def result(self, log: RingLog) -> float | None:
        """The steady step length; None while there is none yet, NaN where it does not settle."""
        steps = self.steps(log)
        for before, after in pairwise(steps):
            if abs(after - before) <= max(RELATIVE * abs(after), ABSOLUTE):
                return after
        return math.nan if len(steps) >= MOST_BLOCKS else None
