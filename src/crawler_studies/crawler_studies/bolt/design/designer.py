"""Differential evolution over the mechanisms within Table 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scipy.optimize import differential_evolution

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.bolt.equations.leg import PARAMETER_OF_SYMBOL
from crawler_studies.bolt.design.bars import RANGES, Bars, Space
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.bolt.design.mechanism_report import COLUMNS, evaluate_mechanism
from crawler_studies.bolt.design.objective import FLAT, LOWER_OPEN, UPPER_OPEN, PathObjective
from crawler_studies.bolt.design.plot import draw
from crawler_studies.design.designer import Design, Range
from crawler_studies.study.study_case import StudyCase

POPULATION = 8  # mechanisms per number that is searched
GENERATIONS = 1000  # at most; about 350 are usual
COARSE = 48  # angles of a turn while it searches: J is within 0.1 % of that of 360
SETTLED = 1e-5  # of the population's spread over its mean, where the search ends


@dataclass(frozen=True)
class MechanismSearch:
    """A search from the mechanism of a robot file."""

    spec: RobotSpec
    goal: MechanismGoal
    ranges: Mapping[str, Range]  # by the paper's symbols
    space: Space
    seed: int

    def run(self, progress: Callable[[int, str], None], stopped: Callable[[], bool]) -> Design | None:
        objective = PathObjective(self.goal, COARSE)
        judged, best = 0, math.inf

        def many(points: FloatArray) -> FloatArray:
            nonlocal judged, best
            J = objective(self.space.bars(points))
            judged, best = judged + len(J), min(best, float(J.min()))
            return J

        def generation(_point: FloatArray, convergence: float) -> bool:
            progress(judged, _words(best, self.goal))
            return stopped()

        found = differential_evolution(
            many,
            [(0.0, 1.0)] * len(Bars._fields),
            vectorized=True,
            updating="deferred",
            polish=False,
            init="sobol",
            popsize=POPULATION,
            maxiter=GENERATIONS,
            recombination=0.9,
            tol=SETTLED,
            callback=generation,
            seed=self.seed,
        )
        if found.fun >= FLAT:
            return None
        bars = Bars(*(float(column[0, 0]) for column in self.space.bars(found.x[:, None])))
        return self._design(bars.rounded())

    def _design(self, settings: Mapping[str, float]) -> Design:
        old, new = Bars.of(self.spec.parameters), Bars.of(settings)
        before, after = evaluate_mechanism(old, self.goal), evaluate_mechanism(new, self.goal)
        found = {f"robot.{name}": value for name, value in settings.items()}
        better = not after["J"] >= before["J"]  # also where the old one does not turn
        outside = self._outside(old)
        notes = [f"The mechanism of the robot file is outside these limits: {', '.join(outside)}."] if outside else []
        return Design(found, before, after, better, notes, lambda figure: draw(figure, old, new, self.goal))

    def _outside(self, bars: Bars) -> list[str]:
        ends = {**self.ranges, "l_4 + l_5": (self.goal.leg_least, self.goal.leg_most)}
        values = {**bars._asdict(), "theta": math.degrees(bars.theta), "l_4 + l_5": bars.l_4 + bars.l_5}
        return [
            f"{symbol} = {values[symbol]:.4g} is not within {low:g} to {high:g}"
            for symbol, (low, high) in ends.items()
            if not low - 1e-9 <= values[symbol] <= high + 1e-9
        ]


class BoltDesigner:
    """What `Model.design` of BOLT names."""

    target = "mechanism"
    goal = MechanismGoal
    columns = COLUMNS

    def ranges(self, case: StudyCase) -> Mapping[str, Range]:
        return {f"robot.{PARAMETER_OF_SYMBOL[symbol]}": ends for symbol, ends in RANGES.items()}

    def plan(self, case: StudyCase, goal: MechanismGoal, ranges: Mapping[str, Range], seed: int) -> MechanismSearch:
        spec = case.spec
        if missing := [
            PARAMETER_OF_SYMBOL[symbol] for symbol in RANGES if PARAMETER_OF_SYMBOL[symbol] not in spec.parameters
        ]:
            raise UserError(f"{spec.name} has no such leg: its robot file lacks {', '.join(missing)}.")
        by_symbol = {symbol: ranges[f"robot.{PARAMETER_OF_SYMBOL[symbol]}"] for symbol in RANGES}
        return MechanismSearch(spec, goal, by_symbol, Space.of(by_symbol, goal), seed)


DESIGNER = BoltDesigner()


def _words(best: float, goal: MechanismGoal) -> str:
    if best >= UPPER_OPEN:
        return "none turns fully, their upper loops open"
    if best >= LOWER_OPEN:
        return "none turns fully, their lower loops open"
    if best >= FLAT:
        return f"none stays {goal.transmission:g}° away from dead centres"
    return f"best objective {best:.5f}"
