"""What is measured from the log of a run: strides, and shares of time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from crawler_core.types import ContactMode
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.stride_loads import greatest


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
    """The whole strides after the first `settling` seconds; None for a run without a stride.

    A stride takes the gait's `period`, and they are counted back from the end of the run; or it ends with an event of
    a foot, where the robot says so, and then its period is measured too.
    """
    if len(log.odometry) < 4:
        return None
    if log.stride.cut != "period":
        return _between_events(log, settling)
    begin, end = log.odometry[0].time, log.now
    whole = int((end - begin - settling) / period + 1e-6)
    cycles = max(1, whole)
    if end - cycles * period < begin - 1e-9:
        return None
    gained = log.forward_at(end) - log.forward_at(max(end - cycles * period, begin))
    return MeasuredCrawl(gained / cycles, period, cycles, steady=whole >= 1)


def _between_events(log: RunLog, settling: float) -> MeasuredCrawl | None:
    begin = log.odometry[0].time
    cuts = log.cuts(begin + settling, math.nan)
    steady = len(cuts) >= 2
    if not steady:
        cuts = log.cuts(begin, math.nan)[-2:]
    if len(cuts) < 2:
        return None
    cycles = len(cuts) - 1
    gained = log.forward_at(cuts[-1]) - log.forward_at(cuts[0])
    return MeasuredCrawl(gained / cycles, (cuts[-1] - cuts[0]) / cycles, cycles, steady)


def demands(log: RunLog, settling: float) -> dict[str, float]:
    """What the strides that end after the first `settling` seconds asked for at most; nothing where none is known.

    Only strides that end with an event of a foot are known by themselves.
    """
    if not log.odometry:
        return {}
    begin = log.odometry[0].time + settling
    # the first of them began before
    steady = [demand for event, demand in zip(log.events, log.demands, strict=True) if event >= begin][1:]
    return greatest(steady) if steady else {}


def latest_step(log: RunLog, period: float) -> float:
    """The gain of the latest stride, m; NaN before there was one."""
    if not log.odometry:
        return math.nan
    if log.stride.cut == "period":
        return log.odometry[-1].forward - log.forward_at(log.now - period)
    cuts = log.cuts(-math.inf, math.nan)[-2:]
    return log.forward_at(cuts[1]) - log.forward_at(cuts[0]) if len(cuts) == 2 else math.nan


def mode_shares(log: RunLog) -> dict[str, dict[str, float]]:
    """How much of the time each foot spent in each mode."""
    shares = {}
    for i, foot in enumerate(log.feet):
        counts: Counter[str] = Counter()
        for weight, feet in log.contacts.weighted():
            counts[ContactMode(feet.modes[i]).name.lower()] += weight
        total = counts.total()
        shares[foot] = {mode: count / total for mode, count in sorted(counts.items())}
    return shares


def branch_shares(log: RunLog, after: float) -> dict[str, float]:
    """How much of the time each part of the law was in force, from `after` (s) on."""
    counts: Counter[str] = Counter()
    for weight, (time, branch) in log.branches.weighted():
        if time >= after:
            counts[branch or "none"] += weight
    total = counts.total()
    return {branch: count / total for branch, count in sorted(counts.items())}
