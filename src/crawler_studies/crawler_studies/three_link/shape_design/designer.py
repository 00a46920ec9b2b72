"""The search itself: rounds from different starts, then the rest of the budget on the best of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_studies.design.evolution_strategy import EvolutionStrategy
from crawler_studies.three_link.shape_design.constraints import within
from crawler_studies.three_link.shape_design.limits import Limits
from crawler_studies.three_link.shape_design.merit import merits, verify
from crawler_studies.three_link.shape_design.task import Task
from crawler_studies.three_link.shape_design.vector import decode, encode
from gait_generators.kinds.time_scaled import TimeScaled
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import Predicted, ShapeFile

HARMONICS = 6  # of each joint, where neither the caller nor the start has more
POPULATION = 30
ROUND = 12_000  # gaits that tell whether a start is worth more
EXPLORING = 0.6  # share of the budget for new starts
WIDE, NARROW = 0.05, 0.015  # rad, the spread from a rough start and from a good one
CONVERGED = 1e-5  # rad
EVERY = 10  # generations between two reports


@dataclass(frozen=True)
class Progress:
    """How far a search is."""

    gaits: int  # judged so far
    budget: int  # to be judged at most
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
    """The shape with the longest worst step at `omega` (rad/s) that `budget` judged gaits find.

    It stays around `start` where there is one, which then wins unless a better one is found; otherwise it sets out from
    time-scaled gaits. The result depends on the arguments alone. `progress` is told now and then, and ends the search
    early by returning True. A shape that breaks a limit, or with which on any of the frictions a foot lifts, Painlevé's
    paradox comes or nothing settles, never wins. Raises UserError where no other is found, and for a robot that is no
    three-link crawler.
    """
    task = Task.of(spec, omega, limits or Limits())
    if harmonics is None:
        harmonics = max(HARMONICS, start.harmonics if start is not None else 0)
    search = _Search(task, budget, progress)
    random = np.random.default_rng(seed)
    if start is not None:
        around = encode(task, start, harmonics)
        search.confirm(around)
        search.round(around, NARROW, budget, random)
    else:
        while search.left > (1.0 - EXPLORING) * budget and not search.stopped:
            search.round(encode(task, _time_scaled(task, random, harmonics), harmonics), WIDE, ROUND, random)
    while search.best is not None and search.left > 0 and not search.stopped:
        search.round(encode(task, search.best.shape, harmonics), NARROW, search.left, random)
    if search.best is None:
        raise UserError(
            f"no shape with {harmonics} harmonics crawls within these limits at {omega:g} rad/s: allow more swing, a "
            "lower omega or a larger budget."
        )
    friction = math.sqrt(task.robot.mu1 * task.robot.mu2)
    tuned_for = task.limits.tuned_for(omega, friction)
    return ShapeFile(f"omega_{omega:g}", search.best.shape, tuned_for, search.best.predicted)


class _Search:
    """What the rounds share: the budget, the best shape and whether to go on."""

    def __init__(self, task: Task, budget: int, progress: Callable[[Progress], bool] | None) -> None:
        self._task, self._budget, self._progress = task, budget, progress
        self.left = budget
        self.best: FoundShape | None = None
        self.stopped = False

    def round(self, start: FloatArray, spread: float, budget: int, random: np.random.Generator) -> None:
        """Climb from one start until it converges or has used its budget, and confirm the top."""
        evolution = EvolutionStrategy(start, spread, POPULATION, random)
        top, merit = start, -math.inf
        for generation in range(max(1, min(budget, self.left) // POPULATION)):
            points = evolution.ask()
            judged = merits(self._task, [decode(self._task, point) for point in points])
            self.left -= len(points)
            evolution.tell(judged)
            best = int(np.argmax(judged))
            if judged[best] > merit:
                top, merit = points[best], float(judged[best])
            self.stopped = generation % EVERY == 0 and self._report(merit)
            if self.stopped or evolution.spread < CONVERGED:
                break
        self.left = self.left if self.left >= POPULATION else 0
        self.confirm(top)

    def confirm(self, point: FloatArray) -> None:
        """Let the reference simulation judge a shape, and keep it if it is valid and a new record."""
        shape = within(self._task, begun_at_mid_stroke(decode(self._task, point)))
        predicted = verify(self._task, shape)
        if predicted is not None and (self.best is None or predicted.worst_step > self.best.predicted.worst_step):
            self.best = FoundShape(shape, predicted)

    def _report(self, merit: float) -> bool:
        if self._progress is None:
            return False
        worst = math.nan if self.best is None else 1e-3 * self.best.predicted.worst_step
        return bool(self._progress(Progress(self._budget - self.left, self._budget, worst, merit)))


def begun_at_mid_stroke(shape: Shape) -> Shape:
    """The same motion with its phase 0 where the harmonic gait has it: the joints together on their way up.

    Shapes of one library then blend into each other without a jump of phase.
    """
    a, b = shape.cos[:, 0].sum(), shape.sin[:, 0].sum()
    return shape.shifted(-math.atan2(a, b))


def _time_scaled(task: Task, random: np.random.Generator, harmonics: int) -> Shape:
    """A gait of the paper's (8) near its best one at 3.2 rad/s, cut to its first harmonics."""
    away = random.standard_normal(2)
    centre, swing = math.radians(task.limits.centre), math.radians(task.limits.swing)
    gait = TimeScaled(1.0, 0.9 * swing, centre, math.radians(99.0 + 30.0 * away[0]), 0.58, -1.04 + 0.5 * away[1])
    count = 256
    waves = np.fft.rfft(gait.sample(np.arange(count) * (gait.period / count)).position, axis=0).T / count
    few = 2.0 * waves[:, 1 : harmonics + 1]
    return Shape(task.joints, waves[:, 0].real, few.real, -few.imag)
