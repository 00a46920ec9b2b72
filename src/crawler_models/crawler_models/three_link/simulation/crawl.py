"""Steady crawling: the periodic solution that the robot reaches from rest (Section IV of the paper)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link.equations.contact_law import HybridFault
from crawler_models.three_link.equations.foot_mode import Mode
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.simulation.hybrid import SpanTable, State, simulate
from crawler_models.three_link.simulation.trajectory import Samples, Trajectory

_REPEAT_TOLERANCE_M = (
    1e-9  # m: the change of x1' over a cycle, times the period. The cycle map contracts, at worst by about 0.8
)
# per cycle at high frequency, which leaves the step within 1e-5 mm.
_STEADY_STEP = 1e-7  # m: a cycle counts as steady once its step stays this close to the final one


@dataclass(frozen=True)
class Crawl:
    """A steady gait. Lengths in m, times in s, forces in N; NaN where ``valid`` is false.

    ``step_length`` is positive in the paper's direction of travel, towards foot 1: -(x1(t) - x1(t - T)).
    ``switches`` holds (t / T, (s1, s2)) with the mode that begins; s_i is the sign of x_i', 0 while the foot sticks.
    ``painleve_margin`` is the smallest denominator over the total mass (1: far away, <= 0: paradox).
    ``unique``: exactly one contact mode was consistent at every event of the steady cycle.
    """

    step_length: float
    speed: float
    period: float
    cycles_to_steady: int
    switches: tuple[tuple[float, Mode], ...]
    min_normal_force: float
    painleve_margin: float
    unique: bool
    valid: bool
    reason: str
    trajectory: Trajectory | None = field(repr=False, default=None)

    def samples(self, count: int = 1000) -> Samples:
        """The steady cycle at ``count`` equal steps of time from 0 to the period, x1 starting at 0.

        Raises ValueError for a gait without a steady cycle.
        """
        if self.trajectory is None:
            raise ValueError(f"There is no steady cycle to sample: {self.reason}")
        return self.trajectory.sample(np.linspace(0.0, self.period, count))


def crawl(robot: ThreeLink, motion: PeriodicMotion, *, max_cycles: int = 200) -> Crawl:
    """Simulate from x1' = 0 until the cycle repeats.

    A gait that loses contact, meets Painleve's paradox or does not settle is returned with ``valid`` false and the
    reason as a sentence.
    """
    period = float(motion.period)
    table = SpanTable(robot, motion, 0.0, period)
    # The joints already move at t = 0. Where starting with foot 1 at rest breaks contact, the gait itself need not:
    # it is then tried with foot 2 at rest, and with both moving alike.
    away = float(table.d1(0.0))
    first = _from(table, 0.0, period, max_cycles)
    if first.valid or first.cycles_to_steady >= max_cycles:
        return first
    others = (_from(table, v1, period, max_cycles) for v1 in (-away, -0.5 * away))
    return next((other for other in others if other.valid), first)


def _from(table: SpanTable, v1: float, period: float, max_cycles: int) -> Crawl:
    """Simulate from foot 1's velocity ``v1`` until the cycle repeats."""
    state = State(0.0, v1)
    steps: list[float] = []
    for cycle in range(1, max_cycles + 1):
        try:
            trajectory = simulate(table, state)
        except HybridFault as fault:
            return _invalid(period, len(steps), f"{str(fault).rstrip('.')} (in cycle {cycle} from the start).")
        x1, v1 = trajectory.end_state
        steps.append(-x1)
        repeats = abs(v1 - state.v1) * period < _REPEAT_TOLERANCE_M and state.mode == trajectory.mode
        if repeats:
            return _steady(trajectory, period, steps)
        state = State(0.0, v1, trajectory.mode)
    return _invalid(period, max_cycles, f"The gait does not settle within {max_cycles} cycles.")


def _steady(trajectory: Trajectory, period: float, steps: list[float]) -> Crawl:
    unsteady = [k for k, step in enumerate(steps) if abs(step - steps[-1]) > _STEADY_STEP]
    return Crawl(
        step_length=steps[-1],
        speed=steps[-1] / period,
        period=period,
        cycles_to_steady=(unsteady[-1] + 2) if unsteady else 1,
        switches=tuple((t / period, mode) for t, mode in trajectory.switches),
        min_normal_force=min(trajectory.min_normal_forces),
        painleve_margin=trajectory.painleve_margin,
        unique=trajectory.unique,
        valid=True,
        reason="",
        trajectory=trajectory,
    )


def _invalid(period: float, cycles: int, reason: str) -> Crawl:
    nan = math.nan
    return Crawl(nan, nan, period, cycles, (), nan, nan, False, False, reason)
