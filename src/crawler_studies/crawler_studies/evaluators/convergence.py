"""Convergence of a crawl that is observed in a run log: when its stride is steady, and its mean stride then."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.stride_metrics import mode_shares

# two blocks of strides whose means differ by less are steady: the rest is beating of the gait with the ticks
RELATIVE_TOLERANCE = 2e-3  # of the step length
ABSOLUTE_TOLERANCE = 3e-5  # m
MIN_BLOCK_TIME_S = 1.5  # so that a fast gait is averaged
MAX_BLOCKS = 12  # a crawl that takes more does not settle
MAX_OPEN_SHARE = 0.02  # of the contact states, for a foot that stays down: physics makes less of a touch-down


class Stride(NamedTuple):
    """A mean stride; NaN for a crawl that does not settle."""

    length: float  # m forward
    period: float  # s


@dataclass(frozen=True)
class StrideConvergence:
    """Compares blocks of strides from `begin` on, until two in a row agree. Times are those of the log."""

    begin: float  # s, when the gait is in force
    period: float  # s, the gait's; strides that end with an event of a foot last about so long

    @property
    def block_periods(self) -> int:
        return max(1, math.ceil(MIN_BLOCK_TIME_S / self.period - 1e-9))

    def block_strides(self, log: RunLog) -> list[Stride]:
        """Return the mean stride of each whole block in the log."""
        count = self.block_periods
        ends = log.stride_ends(self.begin, self.period)[::count][: MAX_BLOCKS + 1]
        return [
            Stride((log.base.forward_at(end) - log.base.forward_at(start)) / count, (end - start) / count)
            for start, end in pairwise(ends)
        ]

    def result(self, log: RunLog) -> Stride | None:
        """Return the steady stride, or None while there is none yet."""
        strides = self.block_strides(log)
        for before, after in pairwise(strides):
            if abs(after.length - before.length) <= max(RELATIVE_TOLERANCE * abs(after.length), ABSOLUTE_TOLERANCE):
                return after
        return Stride(math.nan, math.nan) if len(strides) >= MAX_BLOCKS else None


def find_lifted_foot(log: RunLog, lifting: Container[str] = ()) -> str:
    """Return a foot that left the ground for longer than a moment, or ''. Feet in `lifting` are expected to."""
    shares = {foot: modes for foot, modes in mode_shares(log).items() if foot not in lifting}
    return next((foot for foot, modes in shares.items() if modes.get("open", 0.0) > MAX_OPEN_SHARE), "")
