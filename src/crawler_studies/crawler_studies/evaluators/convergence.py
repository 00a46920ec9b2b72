"""When a watched crawl is steady, and the stride that follows from it. Times are those of its log."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.stride_metrics import mode_shares

# Blocks of strides that differ by less are steady: what beating of the gait with the ticks leaves over.
RELATIVE = 2e-3  # of the step length
ABSOLUTE = 3e-5  # m
BLOCK_TIME = 1.5  # s that a block lasts at least, so that a fast gait is averaged
MOST_BLOCKS = 12  # until a crawl counts as one that does not settle
OPEN_SHARE = 0.02  # of the contact states: less is what physics makes of a touch-down


class Stride(NamedTuple):
    """One stride. NaN where it does not settle."""

    length: float  # m forward
    period: float  # s


@dataclass(frozen=True)
class StrideConvergence:
    """A crawl, block of strides by block, from `begin` on until two in a row agree."""

    begin: float  # s, when the gait is in force
    period: float  # s, the gait's; strides that end with an event of a foot last about so long

    @property
    def periods(self) -> int:
        """In a block."""
        return max(1, math.ceil(BLOCK_TIME / self.period - 1e-9))

    def strides(self, log: RunLog) -> list[Stride]:
        """The mean stride of each whole block that the log has."""
        ends = log.cuts(self.begin, self.period)[:: self.periods][: MOST_BLOCKS + 1]
        return [
            Stride((log.forward_at(end) - log.forward_at(start)) / self.periods, (end - start) / self.periods)
            for start, end in pairwise(ends)
        ]

    def result(self, log: RunLog) -> Stride | None:
        """The steady stride; None while there is none yet."""
        strides = self.strides(log)
        for before, after in pairwise(strides):
            if abs(after.length - before.length) <= max(RELATIVE * abs(after.length), ABSOLUTE):
                return after
        return Stride(math.nan, math.nan) if len(strides) >= MOST_BLOCKS else None


def find_lifted_foot(log: RunLog, lifting: Container[str] = ()) -> str:
    """A foot that left the ground for longer than a moment and is none of those that do in a sound gait, or ''."""
    shares = {foot: modes for foot, modes in mode_shares(log).items() if foot not in lifting}
    return next((foot for foot, modes in shares.items() if modes.get("open", 0.0) > OPEN_SHARE), "")
