"""The reference on its fixed grid of times: what the gait node publishes, planned without ROS.

Every grid point is computed once, by itself, and kept: a time has the same bits in whichever horizon it is published.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crawler_core.motion import Sample
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import Gait, SteeredGait
from gait_generators.transitions.constant_rate_transition import ConstantRateTransition, plan_rate_change
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
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
    """The times of the reference, in ns."""

    step: int  # between points, which stand at its multiples
    ahead: int  # how far a horizon reaches beyond the present
    behind: int  # and before it, for a controller that is still busy with an older state


GRID = TimeGrid(step=10_000_000, ahead=250_000_000, behind=50_000_000)  # a ring's, where nobody wants another


class GaitStream:
    """One gait after another as one smooth motion that starts from the pose `start` at `t0_ns`.

    Raises UserError where the robot cannot get from that pose into the gait.
    """

    def __init__(self, spec: RobotSpec, gait: Gait, t0_ns: int, start: FloatArray, grid: TimeGrid) -> None:
        self._spec = spec
        self._grid = grid
        self._t0_ns = t0_ns
        self._points: dict[int, Sample] = {}  # by grid index
        self._planned = t0_ns // grid.step - 1  # the last grid index that was ever published
        self._motion: Transition | ConstantRateTransition = self._enter(gait, Hold(start), 0.0)
        self._next: Transition | None = None

    @property
    def t0_ns(self) -> int:
        """When the motion starts."""
        return self._t0_ns

    def points(self, now_ns: int) -> GridPoints:
        """The grid points from a little before `now_ns` to a horizon after it."""
        grid = self._grid
        first = max((now_ns - grid.behind) // grid.step, self._t0_ns // grid.step)
        last = max(-(-(now_ns + grid.ahead) // grid.step), first + 1)
        self._points = {k: point for k, point in self._points.items() if k >= first}
        for k in range(first, last + 1):
            if k not in self._points:
                self._points[k] = self._at(k)
        self._planned = max(self._planned, last)
        chosen = [self._points[k] for k in range(first, last + 1)]
        return GridPoints(
            [k * grid.step for k in range(first, last + 1)],
            np.array([point.position for point in chosen]),
            np.array([point.velocity for point in chosen]),
            np.array([point.acceleration for point in chosen]),
        )

    def change(self, gait: Gait, now_ns: int) -> int:
        """Go over to `gait` at the next phase 0 of the present one that is not published yet. The last change wins.

        Returns that time in ns. Raises UserError as `transition` does.
        """
        self._next = self.transition(gait, now_ns)
        return self._t0_ns + round(self._next.start * 1e9)

    def drive(self, gait: SteeredGait, rate: FloatArray, now_ns: int) -> None:
        """Go over to these rates (rad/s) at once, and keep them: what is published already is published anew.

        It begins a little after `now_ns`, so that a controller which goes by the same time sees no jump. From then on
        there is no gait to change: `drive` alone does.
        """
        grid = self._grid
        first = max(-(-(now_ns + grid.behind) // grid.step), self._t0_ns // grid.step)
        begin = self._points[first] if first in self._points else self._at(first)
        self._points = {k: point for k, point in self._points.items() if k < first} | {first: begin}
        self._motion, self._next = (
            plan_rate_change(self._spec, gait, begin, self._seconds(first * grid.step), rate),
            None,
        )

    def transition(self, gait: Gait, now_ns: int) -> Transition:
        """How `change` would go over to `gait`. Raises UserError where the joints' limits allow no way."""
        assert not isinstance(self._motion, ConstantRateTransition)
        present = self._motion.new
        assert isinstance(present, PhaseShiftedGait)
        earliest = max(self._seconds(max(self._planned * self._grid.step, now_ns)), self._motion.end)
        period = present.gait.period
        boundary = present.start + period * math.ceil((earliest - present.start) / period)
        return self._enter(gait, present, boundary)

    def _enter(self, gait: Gait, old: Hold | PhaseShiftedGait, start: float) -> Transition:
        new = PhaseShiftedGait.after(self._spec, old, gait, start)
        return plan_transition(self._spec, old, new, start, gait.period)

    def _at(self, index: int) -> Sample:
        t = self._seconds(index * self._grid.step)
        if self._next is not None and t > self._next.start:
            self._motion, self._next = self._next, None
        return self._motion.sample(t)

    def _seconds(self, time_ns: int) -> float:
        return (time_ns - self._t0_ns) * 1e-9
