"""Measurements from the log of a run: strides, loads, and shares of time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from crawler_core.types import ContactMode
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.stride_loads import peak_loads

MIN_POSES = 4


@dataclass(frozen=True)
class MeasuredCrawl:
    """The steady crawl of a run."""

    step_length: float  # m forward in one stride
    period: float  # s that a stride takes
    cycles: int  # whole strides it was averaged over
    steady: bool  # False: the run was too short to have settled

    @property
    def speed(self) -> float:
        """m/s forward."""
        return self.step_length / self.period


def measure(log: RunLog, period: float, settling: float) -> MeasuredCrawl | None:
    """Average the whole strides after the first `settling` seconds; return None for a run without a stride.

    A stride takes the gait's `period`, counted back from the end of the run. Where the robot's strides end with an
    event of a foot, their period is measured too.
    """
    if len(log.base.poses) < MIN_POSES:
        return None
    if log.strides.by_event:
        return _measure_between_events(log, settling)
    begin, end = log.base.poses[0].time, log.base.now
    whole = int((end - begin - settling) / period + 1e-6)
    cycles = max(1, whole)
    if end - cycles * period < begin - 1e-9:
        return None
    gained = log.base.forward_at(end) - log.base.forward_at(max(end - cycles * period, begin))
    return MeasuredCrawl(gained / cycles, period, cycles, steady=whole >= 1)


def _measure_between_events(log: RunLog, settling: float) -> MeasuredCrawl | None:
    begin = log.base.poses[0].time
    ends = log.stride_ends(begin + settling, math.nan)
    steady = len(ends) >= 2
    if not steady:
        ends = log.stride_ends(begin, math.nan)[-2:]
    if len(ends) < 2:
        return None
    cycles = len(ends) - 1
    gained = log.base.forward_at(ends[-1]) - log.base.forward_at(ends[0])
    return MeasuredCrawl(gained / cycles, (ends[-1] - ends[0]) / cycles, cycles, steady)


def peak_stride_loads(log: RunLog, settling: float) -> dict[str, float]:
    """Return the peak loads of the strides that end after the first `settling` seconds; empty where none is known.

    Loads are known of strides that end with an event of a foot.
    """
    if not log.base.poses:
        return {}
    begin = log.base.poses[0].time + settling
    # the first of them began before
    steady = [loads for event, loads in zip(log.strides.events, log.strides.loads, strict=True) if event >= begin][1:]
    return peak_loads(steady) if steady else {}


def latest_step(log: RunLog, period: float) -> float:
    """Return the gain of the latest stride, m; NaN before the first, and without a `period`."""
    if not log.base.poses:
        return math.nan
    if not log.strides.by_event:
        if math.isnan(period):
            return math.nan
        return log.base.poses[-1].forward - log.base.forward_at(log.base.now - period)
    ends = log.stride_ends(-math.inf, math.nan)[-2:]
    return log.base.forward_at(ends[1]) - log.base.forward_at(ends[0]) if len(ends) == 2 else math.nan


def mode_shares(log: RunLog) -> dict[str, dict[str, float]]:
    """Return the share of time that each foot spent in each contact mode."""
    shares = {}
    for i, foot in enumerate(log.feet):
        counts: Counter[str] = Counter()
        for weight, feet in log.contacts.weighted():
            counts[ContactMode(feet.modes[i]).name.lower()] += weight
        shares[foot] = _shares(counts)
    return shares


def branch_shares(log: RunLog, after: float) -> dict[str, float]:
    """Return the share of time that each branch of the control law was in force, from `after` (s) on."""
    counts: Counter[str] = Counter()
    for weight, (time, branch) in log.branches.weighted():
        if time >= after:
            counts[branch or "none"] += weight
    return _shares(counts)


def _shares(counts: Counter[str]) -> dict[str, float]:
    return {key: count / counts.total() for key, count in sorted(counts.items())}
