"""Steady crawling under the feedback law (19) in continuous time: Section VIII and Figs. 13 and 14 of the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link.equations.contact_law import HybridFault
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.feedback.closed_loop import ClosedLoop
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw
from crawler_models.three_link.feedback.loop_equations import LoopState
from crawler_models.three_link.simulation.crawl import crawl

Array = NDArray[np.float64]

_REPEAT_TOLERANCE = (
    1e-6  # rad, rad/s and m/s: states this close are the same; (19) contracts joint errors by exp(-0.8 t) at best
)
_MAX_PATTERN_CYCLES = 4  # cycles of a repeating pattern that is looked for


@dataclass(frozen=True)
class FeedbackSamples:
    """Steady motion at the simulation's own steps, events included; paper's axes."""

    t: Array  # s
    q: Array  # rad, (..., 2)
    dq: Array  # rad/s
    x1: Array  # m
    v: Array  # m/s, x1' and x2'
    modes: NDArray[np.int_]  # signs of x1' and x2', 0 for a sticking foot
    tracks_contacts: NDArray[np.bool_]  # which line of (19) is in force


@dataclass(frozen=True)
class FeedbackCrawl:
    """A steady gait with feedback. Lengths in m, times in s; NaN where ``valid`` is false.

    ``step_length`` is the mean over the ``repeats_after`` cycles of the pattern, positive in the direction of travel.
    """

    step_length: float
    speed: float
    period: float
    repeats_after: int  # cycles: 1 is one-step periodic
    cycles_to_steady: int
    contact_tracking_share: float  # of the time
    valid: bool
    reason: str
    samples: FeedbackSamples | None = field(repr=False, default=None)


def feedback_crawl(
    robot: ThreeLink, motion: PeriodicMotion, law: FeedbackLaw | None = None, *, max_cycles: int = 120, **options: int
) -> FeedbackCrawl:
    """Simulate from the steady crawl without feedback until the motion repeats after at most four cycles.

    A gait that loses contact, switches without end or does not settle is returned with ``valid`` false and the reason.
    ``options`` are ClosedLoop's.
    """
    loop = ClosedLoop(robot, motion, law or FeedbackLaw(), **options)
    period = loop.period
    history: list[tuple[LoopState, list[tuple[LoopState, float]]]] = []
    cycle = 1
    try:
        state = loop.start(_speed_without_feedback(robot, motion))
        starts = [state]
        for cycle in range(1, max_cycles + 1):
            state, steps = loop.cycle(state)
            state = replace(state, t=0.0, left=state.left - period)
            starts.append(state)
            history = [*history[-_MAX_PATTERN_CYCLES + 1 :], (state, steps)]
            for length in range(1, min(_MAX_PATTERN_CYCLES, cycle) + 1):
                if _same(starts[-1], starts[-1 - length]):
                    return _steady(starts, [s for _, s in history[-length:]], period, length)
    except HybridFault as fault:
        return _invalid(period, f"{str(fault).rstrip('.')} (in cycle {cycle} with feedback).")
    return _invalid(period, f"The gait does not repeat within {max_cycles} cycles.")


def _speed_without_feedback(robot: ThreeLink, motion: PeriodicMotion) -> float:
    """Speed of foot 1 at the start of a cycle, m/s, where the law takes over. A start from rest can lift a foot."""
    steady = crawl(robot, motion)
    return steady.trajectory.end_state[1] if steady.trajectory is not None else 0.0


def _same(a: LoopState, b: LoopState) -> bool:
    return a.mode == b.mode and max(abs(x - y) for x, y in zip(a.y[:5], b.y[:5], strict=True)) < _REPEAT_TOLERANCE


def _steady(
    starts: list[LoopState], cycles: list[list[tuple[LoopState, float]]], period: float, length: int
) -> FeedbackCrawl:
    step = -(starts[-1].y[5] - starts[-1 - length].y[5]) / length
    rows = [(k * period + s.t, s, v2) for k, steps in enumerate(cycles) for s, v2 in steps]
    t = np.array([row[0] for row in rows])
    y = np.array([row[1].y for row in rows])
    modes = np.array([row[1].mode for row in rows])
    v2 = np.array([row[2] for row in rows])
    tracks = np.array([row[1].tracks_contacts for row in rows])
    v1 = np.where(modes[:, 0] == 0, 0.0, y[:, 4])
    share = float(np.diff(t) @ tracks[:-1]) / (length * period)
    samples = FeedbackSamples(t, y[:, :2], y[:, 2:4], y[:, 5], np.column_stack((v1, v2)), modes, tracks)
    return FeedbackCrawl(step, step / period, period, length, len(starts) - 1 - length, share, True, "", samples)


def _invalid(period: float, reason: str) -> FeedbackCrawl:
    nan = math.nan
    return FeedbackCrawl(nan, nan, period, 0, 0, nan, False, reason)
