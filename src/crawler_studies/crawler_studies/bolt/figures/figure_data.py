"""Data of the figures of BOLT: the leg, and runs of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.simulation.hybrid_run import (
    PAPERS_RUN,
    HybridRun,
    HybridStart,
    Mode,
    lift_off_start,
    simulate_hybrid,
)
from crawler_studies.bolt.design.bars import Bars
from crawler_studies.plots.drawing import Array

MIN_LOAD_N = 1.0  # under which the foot hardly bears
STRIDES = 16  # as in the paper
START_RATE = -31.0  # rad/s, of the crank at the start of the run: its steady one
GROUND_TIME_LABEL = "t [s]; the foot is on the ground where it is grey"
# Table 2's heuristic column, l_c, theta, l_1 to l_5, l_s, l_f, l_t
HEURISTIC = Bars(0.164, math.radians(53.0), 0.040, 0.180, 0.230, 0.180, 0.290, 0.180, 0.095, 0.062)


@dataclass(frozen=True)
class FigureData:
    """The robot, and the paper's run."""

    spec: RobotSpec

    @property
    def crank(self) -> JointSpec:
        return next(joint for joint in self.spec.joints if joint.actuated)

    @cached_property
    def leg(self) -> Leg:
        """The paper's leg, whose motor has no rotor."""
        return replace(Leg.from_parameters(self.spec.parameters), I_r=0.0)

    @cached_property
    def start(self) -> HybridStart:
        """Start of the paper's run: the lift-off of its steady stride."""
        return lift_off_start(self.leg, PAPERS_RUN, START_RATE)

    @cached_property
    def run(self) -> HybridRun:
        """The paper's run, of a foot that does not slip."""
        return self.simulate(self.start)

    def simulate(self, start: HybridStart, strides: int = STRIDES, interval: float = 5e-4, **more: float) -> HybridRun:
        """Simulate the paper's law from `start`. Raises UserError where the run ends early."""
        run = simulate_hybrid(self.leg, PAPERS_RUN, start, strides, power=self.crank.power, interval=interval, **more)
        if run.reason:
            raise UserError(f"the run of the figures ends early: {run.reason}")
        return run

    def inconsistent_start(self, off: float) -> HybridStart:
        """Return the start with every passive angle off by so much (rad)."""
        assert self.start.z is not None
        q2, q3, q4, q5 = self.start.z
        return replace(self.start, z=(q2 + off, q3 - off, q4 + off, q5 - off))


def shade_stance(axes: Axes, run: HybridRun, until: float) -> None:
    """Draw the stances up to a time (s) in grey."""
    shown = run.t <= until
    shade(axes, run.t[shown], run.mode[shown] != Mode.FLIGHT)


def shade(axes: Axes, t: Array, down: NDArray[np.bool_]) -> None:
    """Draw the times that are `down` in grey."""
    ends = [0, *(np.flatnonzero(np.diff(down.astype(int))) + 1), len(down)]
    for begin, end in pairwise(ends):
        if down[begin]:
            axes.axvspan(t[begin], t[end - 1], color="#000000", alpha=0.07, linewidth=0.0)


def friction_ratio(F_T: Array, F_N: Array) -> Array:
    """Return |F_T| / F_N on the ground; NaN in flight, and where the foot is hardly loaded."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(F_N > MIN_LOAD_N, np.abs(F_T) / F_N, np.nan)


def wrap_degrees(angle: Array) -> Array:
    """Return an angle (rad) in degrees from 0 to 360; NaN where it jumps, so that no line is drawn there."""
    turned = np.mod(np.degrees(angle), 360.0)
    jumps = np.abs(np.diff(turned, prepend=turned[:1])) > 180.0
    return np.where(jumps, np.nan, turned)
