"""The mechanism search: differential evolution over the mechanisms within Table 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scipy.optimize import differential_evolution

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.bolt.equations.leg import PARAMETER_OF_SYMBOL
from crawler_studies.bolt.design.bars import RANGES, Bars, MechanismSpace
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.bolt.design.mechanism_report import COLUMNS, evaluate_mechanism
from crawler_studies.bolt.design.objective import DEAD_CENTRE, LOWER_LOOP_OPEN, UPPER_LOOP_OPEN, PathObjective
from crawler_studies.bolt.design.plot import draw
from crawler_studies.design.designer import Design, Range
from crawler_studies.study.study_case import StudyCase

POPULATION = 8  # mechanisms per dimension
MAX_GENERATIONS = 1000  # about 350 are usual
SEARCH_ANGLES = 48  # of a turn: J is within 0.1 % of that of 360
SPREAD_TOLERANCE = 1e-5  # of the population's spread over its mean, at which the search ends


@dataclass(frozen=True)
class MechanismSearch:
    """A search from the mechanism of a robot file."""

    spec: RobotSpec
    goal: MechanismGoal
    ranges: Mapping[str, Range]  # by the paper's symbols
    space: MechanismSpace
    seed: int

    def run(self, progress: Callable[[int, str], None], stopped: Callable[[], bool]) -> Design | None:
        objective = PathObjective(self.goal, SEARCH_ANGLES)
        count, best = 0, math.inf

        def evaluate(points: FloatArray) -> FloatArray:
            nonlocal count, best
            J = objective(self.space.bars(points))
            count, best = count + len(J), min(best, float(J.min()))
            return J

        def end_generation(_point: FloatArray, convergence: float) -> bool:
            progress(count, _describe_best(best, self.goal))
            return stopped()

        found = differential_evolution(
            evaluate,
            [(0.0, 1.0)] * len(Bars._fields),
            vectorized=True,
            updating="deferred",
            polish=False,
            init="sobol",
            popsize=POPULATION,
            maxiter=MAX_GENERATIONS,
            recombination=0.9,
            tol=SPREAD_TOLERANCE,
            callback=end_generation,
            seed=self.seed,
        )
        if found.fun >= DEAD_CENTRE:
            return None
        bars = Bars(*(float(column[0, 0]) for column in self.space.bars(found.x[:, None])))
        return self._make_design(bars.rounded())

    def _make_design(self, settings: Mapping[str, float]) -> Design:
        old, new = Bars.of(self.spec.parameters), Bars.of(settings)
        before, after = evaluate_mechanism(old, self.goal), evaluate_mechanism(new, self.goal)
        found = {f"robot.{name}": value for name, value in settings.items()}
        better = not after["J"] >= before["J"]  # true also where the old one does not turn
        outside = self._limit_violations(old)
        notes = [f"The mechanism of the robot file is outside these limits: {', '.join(outside)}."] if outside else []
        return Design(found, before, after, better, notes, lambda figure: draw(figure, old, new, self.goal))

    def _limit_violations(self, bars: Bars) -> list[str]:
        ends = {**self.ranges, "l_4 + l_5": (self.goal.leg_least, self.goal.leg_most)}
        values = {**bars._asdict(), "theta": math.degrees(bars.theta), "l_4 + l_5": bars.l_4 + bars.l_5}
        return [
            f"{symbol} = {values[symbol]:.4g} is not within {low:g} to {high:g}"
            for symbol, (low, high) in ends.items()
            if not low - 1e-9 <= values[symbol] <= high + 1e-9
        ]


class BoltDesigner:
    """Designs the mechanism; `Model.design` of BOLT names it."""

    target = "mechanism"
    goal = MechanismGoal
    columns = COLUMNS

    def ranges(self, case: StudyCase) -> Mapping[str, Range]:
        return {f"robot.{PARAMETER_OF_SYMBOL[symbol]}": ends for symbol, ends in RANGES.items()}

    def plan(self, case: StudyCase, goal: MechanismGoal, ranges: Mapping[str, Range], seed: int) -> MechanismSearch:
        spec = case.spec
        names = {symbol: PARAMETER_OF_SYMBOL[symbol] for symbol in RANGES}
        if missing := [name for name in names.values() if name not in spec.parameters]:
            raise UserError(f"{spec.name} has no such leg: its robot file lacks {', '.join(missing)}.")
        by_symbol = {symbol: ranges[f"robot.{name}"] for symbol, name in names.items()}
        return MechanismSearch(spec, goal, by_symbol, MechanismSpace.of(by_symbol, goal), seed)


DESIGNER = BoltDesigner()


def _describe_best(best: float, goal: MechanismGoal) -> str:
    if best >= UPPER_LOOP_OPEN:
        return "none turns fully, their upper loops open"
    if best >= LOWER_LOOP_OPEN:
        return "none turns fully, their lower loops open"
    if best >= DEAD_CENTRE:
        return f"none stays {goal.transmission:g}° away from dead centres"
    return f"best objective {best:.5f}"
