"""The search for a shape: rounds from different starts, then the rest of the budget on the best of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_studies.design.evolution_strategy import EvolutionStrategy
from crawler_studies.three_link.shape_design.constraints import shrink_to_limits
from crawler_studies.three_link.shape_design.merit import merits, verify
from crawler_studies.three_link.shape_design.task import Limits, ShapeTask
from gait_generators.kinds.time_scaled import TimeScaled
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import Predicted, ShapeFile

MIN_HARMONICS = 6  # of each joint, where neither the caller nor the start has more
POPULATION = 30
ROUND_BUDGET = 12_000  # gaits that show whether a start deserves more
EXPLORING_SHARE = 0.6  # of the budget, for new starts
WIDE_SPREAD, NARROW_SPREAD = 0.05, 0.015  # rad, from a rough start and from a good one
MIN_SPREAD = 1e-5  # rad, at which a round has converged
REPORT_PERIOD = 10  # generations


@dataclass(frozen=True)
class Progress:
    """The progress of a search."""

    gaits: int  # evaluated so far
    budget: int  # gaits to evaluate at most
    worst_step: float  # m, of the best shape that the reference simulation has confirmed; NaN before the first
    merit: float  # mm, of the present round's best: its worst step, less penalties


@dataclass(frozen=True)
class FoundShape:
    """A confirmed shape."""

    shape: Shape
    predicted: Predicted


def design(
    spec: RobotSpec,
    omega: float,
    limits: Limits | None = None,
    *,
    start: Shape | None = None,
    harmonics: int | None = None,
    budget: int = 120_000,
    seed: int = 0,
    progress: Callable[[Progress], bool] | None = None,
) -> ShapeFile:
    """Return the shape with the longest worst step at `omega` (rad/s) that `budget` evaluated gaits find.

    The search stays around `start` where there is one, which is returned unless a better one is found; otherwise it
    begins with time-scaled gaits. The result depends on the arguments alone. `progress` is called now and then, and
    ends the search early by returning True.

    A shape is never returned if it breaks a limit, or if on any of the frictions a foot lifts, Painlevé's paradox
    comes or nothing settles. Raises UserError where no shape is found, and for a robot that is no three-link crawler.
    """
    task = ShapeTask.of(spec, omega, limits or Limits())
    if harmonics is None:
        harmonics = max(MIN_HARMONICS, start.harmonics if start is not None else 0)
    search = _ShapeDesigner(task, budget, progress)
    random = np.random.default_rng(seed)
    if start is not None:
        around = task.encode(start, harmonics)
        search.confirm(around)
        search.run_round(around, NARROW_SPREAD, budget, random)
    else:
        while search.left > (1.0 - EXPLORING_SHARE) * budget and not search.stopped:
            around = task.encode(_time_scaled_shape(task, random, harmonics), harmonics)
            search.run_round(around, WIDE_SPREAD, ROUND_BUDGET, random)
    while search.best is not None and search.left > 0 and not search.stopped:
        search.run_round(task.encode(search.best.shape, harmonics), NARROW_SPREAD, search.left, random)
    if search.best is None:
        raise UserError(
            f"no shape with {harmonics} harmonics crawls within these limits at {omega:g} rad/s: allow more swing, a "
            "lower omega or a larger budget."
        )
    friction = math.sqrt(task.robot.mu1 * task.robot.mu2)
    tuned_for = task.limits.tuned_for(omega, friction)
    return ShapeFile(f"omega_{omega:g}", search.best.shape, tuned_for, search.best.predicted)


class _ShapeDesigner:
    """The state that the rounds share: the budget, the best shape, and the request to stop."""

    def __init__(self, task: ShapeTask, budget: int, progress: Callable[[Progress], bool] | None) -> None:
        self._task, self._budget, self._progress = task, budget, progress
        self.left = budget
        self.best: FoundShape | None = None
        self.stopped = False

    def run_round(self, start: FloatArray, spread: float, budget: int, random: np.random.Generator) -> None:
        """Climb from one start until it converges or has used its budget, and confirm the top."""
        evolution = EvolutionStrategy(start, spread, POPULATION, random)
        top, top_merit = start, -math.inf
        for generation in range(max(1, min(budget, self.left) // POPULATION)):
            points = evolution.ask()
            values = merits(self._task, [self._task.decode(point) for point in points])
            self.left -= len(points)
            evolution.tell(values)
            best = int(np.argmax(values))
            if values[best] > top_merit:
                top, top_merit = points[best], float(values[best])
            self.stopped = generation % REPORT_PERIOD == 0 and self._report(top_merit)
            if self.stopped or evolution.spread < MIN_SPREAD:
                break
        self.left = self.left if self.left >= POPULATION else 0
        self.confirm(top)

    def confirm(self, point: FloatArray) -> None:
        """Evaluate a shape by the reference simulation, and keep it if it is valid and the best so far."""
        shape = shrink_to_limits(self._task, shift_to_mid_stroke(self._task.decode(point)))
        predicted = verify(self._task, shape)
        if predicted is not None and (self.best is None or predicted.worst_step > self.best.predicted.worst_step):
            self.best = FoundShape(shape, predicted)

    def _report(self, merit: float) -> bool:
        if self._progress is None:
            return False
        worst = math.nan if self.best is None else 1e-3 * self.best.predicted.worst_step
        return bool(self._progress(Progress(self._budget - self.left, self._budget, worst, merit)))


def shift_to_mid_stroke(shape: Shape) -> Shape:
    """Return the same motion with its phase 0 where the harmonic gait has it: the joints together on their way up.

    Shapes of one library then blend into each other without a jump of phase.
    """
    a, b = shape.cos[:, 0].sum(), shape.sin[:, 0].sum()
    return shape.shifted(-math.atan2(a, b))


def _time_scaled_shape(task: ShapeTask, random: np.random.Generator, harmonics: int) -> Shape:
    """Return a gait of the paper's (8) near its best one at 3.2 rad/s, cut to its first harmonics."""
    offsets = random.standard_normal(2)
    centre, swing = math.radians(task.limits.centre), math.radians(task.limits.swing)
    psi, upsilon = math.radians(99.0 + 30.0 * offsets[0]), -1.04 + 0.5 * offsets[1]
    gait = TimeScaled(1.0, 0.9 * swing, centre, psi, 0.58, upsilon)
    count = 256
    waves = np.fft.rfft(gait.sample(np.arange(count) * (gait.period / count)).position, axis=0).T / count
    first_waves = 2.0 * waves[:, 1 : harmonics + 1]
    return Shape(task.joints, waves[:, 0].real, first_waves.real, -first_waves.imag)
