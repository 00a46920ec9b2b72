"""The reference on its fixed grid of times, as the gait node publishes it; no ROS.

Each grid point is computed once and stored, so that a time has the same bits in every horizon that contains it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from crawler_core.motion import Motion, Sample
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import Gait, SteeredGait
from gait_generators.kinds.gait_phase import steered
from gait_generators.kinds.limit_check import LIMIT_SAMPLES, keeps_rate_limits
from gait_generators.transitions.blend import Blend
from gait_generators.transitions.constant_rate_transition import DURATION_GROWTH, MIN_DURATION_S, plan_rate_change
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.steered_motion import SteeredMotion
from gait_generators.transitions.transition import Transition, plan_transition


@dataclass(frozen=True)
class GridPoints:
    """Successive grid points; arrays have one row per point and one column per actuated joint."""

    time_ns: list[int]
    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    acceleration: FloatArray  # rad/s²


@dataclass(frozen=True)
class TimeGrid:
    """Times of the reference, in ns."""

    step: int = 10_000_000  # between points, which are at its multiples
    ahead: int = 250_000_000  # of the present, at least, for a horizon's end
    behind: int = 50_000_000  # the present, for its begin: the controller may still be busy with an older state


DEFAULT_GRID = TimeGrid()
MAX_BLEND_S = 20.0  # into a steered motion, of other parameters or from the start
EQUAL_POSITION_RAD, EQUAL_RATE = 1e-6, 1e-3  # rad; rad/s and rad/s²: below them two motions continue each other


class GaitStream:
    """One smooth motion of one gait after another, from the pose `start` at `start_ns` on."""

    def __init__(self, spec: RobotSpec, gait: Gait, start_ns: int, start: FloatArray, grid: TimeGrid) -> None:
        """Raises UserError where the joints' limits allow no transition from that pose into the gait."""
        self.start_ns = start_ns
        self._spec = spec
        self._grid = grid
        self._points: dict[int, Sample] = {}  # by grid index
        self._last_index = start_ns // grid.step - 1  # of all points that were ever returned
        self._motion: Transition | SteeredMotion = self._plan(gait, Hold(start), 0.0)
        self._next: Transition | None = None

    def points(self, now_ns: int) -> GridPoints:
        """Return the grid points from a little before `now_ns` to a horizon after it."""
        grid = self._grid
        first = max((now_ns - grid.behind) // grid.step, self.start_ns // grid.step)
        last = max(-(-(now_ns + grid.ahead) // grid.step), first + 1)
        self._points = {k: point for k, point in self._points.items() if k >= first}
        for k in range(first, last + 1):
            if k not in self._points:
                self._points[k] = self._sample(k)
        self._last_index = max(self._last_index, last)
        chosen = [self._points[k] for k in range(first, last + 1)]
        return GridPoints(
            [k * grid.step for k in range(first, last + 1)],
            np.array([point.position for point in chosen]),
            np.array([point.velocity for point in chosen]),
            np.array([point.acceleration for point in chosen]),
        )

    def transition_to(self, gait: Gait, now_ns: int) -> Transition:
        """Return the transition to `gait` at the next phase 0 of the present one that is not published yet.

        Raises UserError where the joints' limits allow none.
        """
        assert not isinstance(self._motion, SteeredMotion)
        present = self._motion.new
        assert isinstance(present, PhaseShiftedGait)
        earliest = max(self._seconds(max(self._last_index * self._grid.step, now_ns)), self._motion.end)
        period = present.gait.period
        boundary = present.start + period * math.ceil((earliest - present.start) / period)
        return self._plan(gait, present, boundary)

    def adopt(self, transition: Transition) -> int:
        """Continue with a planned transition; a later call replaces it. Return the time of its start, in ns."""
        self._next = transition
        return self.start_ns + round(transition.start * 1e9)

    def steer(self, gait: SteeredGait, rate: FloatArray, now_ns: int) -> None:
        """Continue at once with `gait`, its phases at these constant rates (rad/s); points that are out are replaced.

        The change starts a little after `now_ns`, so that a controller at that time sees no jump. From then on only
        `steer` changes the motion. A gait with other parameters blends in.
        """
        grid = self._grid
        first = max(-(-(now_ns + grid.behind) // grid.step), self.start_ns // grid.step)
        start = self._seconds(first * grid.step)
        begin = self._points[first] if first in self._points else self._sample(first)
        old, phase = self._motion, self._phase(begin, start)
        self._points = {k: point for k, point in self._points.items() if k < first} | {first: begin}
        self._next = None
        new = SteeredMotion(gait, plan_rate_change(self._spec, gait, phase, start, rate))
        latest = old.new if isinstance(old, Blend) else old
        unchanged = isinstance(latest, SteeredMotion) and _are_equal(latest.sample(start), new.sample(start))
        if unchanged and isinstance(old, Blend) and start < old.end:
            self._motion = replace(old, new=new)
        elif _are_equal(begin, new.sample(start)):
            self._motion = new
        else:
            self._motion = self._blend(old, new, start)

    def _phase(self, begin: Sample, start: float) -> Sample:
        """Return the phases of the present motion at `start` (s), where its joints are at `begin`."""
        latest = self._motion.new if isinstance(self._motion, Blend) else self._motion
        if isinstance(latest, SteeredMotion):
            return latest.phases.sample(start)
        if not isinstance(self._motion, SteeredMotion):
            latest = self._motion.new
        assert isinstance(latest, PhaseShiftedGait)
        gait = steered(latest.gait)
        if gait.joints(begin) is begin:
            return begin
        return Sample(gait.start + gait.rate * (start - latest.start), gait.rate, np.zeros_like(gait.rate))

    def _blend(self, old: Motion, new: SteeredMotion, start: float) -> Blend:
        """Return the shortest tried blend that keeps the joints' limits, else the longest."""
        duration = MIN_DURATION_S
        while True:
            blend = Blend(old, new, start, duration)
            times = np.linspace(start, blend.end, LIMIT_SAMPLES)
            if duration > MAX_BLEND_S or keeps_rate_limits(self._spec, blend, times):
                return blend
            duration *= DURATION_GROWTH

    def _plan(self, gait: Gait, old: Hold | PhaseShiftedGait, start: float) -> Transition:
        new = PhaseShiftedGait.after(self._spec, old, gait, start)
        return plan_transition(self._spec, old, new, start, gait.period)

    def _sample(self, index: int) -> Sample:
        t = self._seconds(index * self._grid.step)
        if self._next is not None and t > self._next.start:
            self._motion, self._next = self._next, None
        return self._motion.sample(t)

    def _seconds(self, time_ns: int) -> float:
        return (time_ns - self.start_ns) * 1e-9


def _are_equal(one: Sample, other: Sample) -> bool:
    """Return True if a motion can go on with `other` instead of `one`, without a blend."""
    tolerances = (EQUAL_POSITION_RAD, EQUAL_RATE, EQUAL_RATE)
    pairs = zip(one, other, tolerances, strict=True)
    return all(bool((np.abs(a - b) <= tolerance).all()) for a, b, tolerance in pairs)
