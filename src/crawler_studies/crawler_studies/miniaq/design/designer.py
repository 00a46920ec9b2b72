"""The gait search: gaits from all over the space, evolution from the best of them, and a check in physics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from crawler_core.types import FloatArray
from crawler_studies.design.designer import Design, Range
from crawler_studies.miniaq.design.columns import COLUMNS, describe_gait
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait, GaitScore, evaluate_gait
from crawler_studies.miniaq.design.gait_goal import AIMS, ALL, GaitGoal
from crawler_studies.miniaq.design.gait_search import GaitSearch
from crawler_studies.miniaq.design.pareto_front import pareto_front, tabulate_gaits
from crawler_studies.miniaq.design.physics_check import PhysicsCheck, check_in_physics
from crawler_studies.miniaq.design.plot import draw
from crawler_studies.miniaq.design.space import GaitSpace
from crawler_studies.study.study_case import StudyCase

EXPLORING_SHARE = 0.2  # of the budget, for gaits from all over the space
MAX_CHECKED = 3  # gaits that are checked in physics
MIN_CHECKED_DISTANCE = 0.1  # of the unit cube, between two of them
RANGES: Mapping[str, Range] = {
    "gait.frequency": (1.0, 5.0),  # twice the paper's
    "gait.ahead_fr": (-180.0, 180.0),  # the leg fl is what the others are ahead of
    "gait.ahead_hl": (-180.0, 180.0),
    "gait.ahead_hr": (-180.0, 180.0),
    # of the body, in which the crank's angle at the foot's lowest point, its phase 0, stays within 3 degrees
    "robot.front_x": (0.0, 0.04),
    "robot.hind_x": (-0.04, 0.0),
    "robot.motor_y": (0.018, 0.03),
    "robot.crank_length": (0.0042, 0.006),
    "robot.shin_length": (0.024, 0.034),
}


@dataclass(frozen=True)
class GaitDesignSearch:
    """A search from the gait and the body of a case."""

    case: StudyCase
    goal: GaitGoal
    space: GaitSpace
    seed: int

    def run(self, progress: Callable[[int, str], None], stopped: Callable[[], bool]) -> Design | None:
        now = evaluate_gait(self.case, {})
        score = GaitScore(self.goal, self.goal.aim, now)
        evaluated: list[EvaluatedGait] = []
        best = now

        def add(x: FloatArray) -> EvaluatedGait:
            nonlocal best
            new = evaluate_gait(self.case, self.space.point(x), self.goal.margin)
            evaluated.append(new)
            best = new if len(evaluated) == 1 else max(best, new, key=score)
            progress(len(evaluated), _describe_best(best, score))
            return new

        gait_search = GaitSearch(self.space, add, stopped, np.random.default_rng(self.seed))
        start = {name: self.case.value(name) for name in self.space.names}
        gait_search.explore(self.space.place(start), round(EXPLORING_SHARE * self.goal.budget), self.seed)
        aims = [*AIMS, ALL] if self.goal.aim == ALL else [self.goal.aim]
        converged = True
        for k, aim in enumerate(aims):
            left = self.goal.budget - len(evaluated)
            converged &= gait_search.climb(GaitScore(self.goal, aim, now), left // (len(aims) - k))
        if not score.meets_goal(best):
            return None
        ranked = self._choose_distant(evaluated, score)
        if self.goal.physics and not stopped():
            progress(len(evaluated), f"{_describe_best(best, score)}; now in physics")
            check = check_in_physics(self.case, self.goal.aim, ranked)
        else:
            check = PhysicsCheck(ranked[0], {}, {}, True, [])
        return self._make_design(now, check, evaluated, score, converged)

    def _choose_distant(self, evaluated: list[EvaluatedGait], score: GaitScore) -> list[EvaluatedGait]:
        """Return some good gaits that lie apart, the best first."""
        ranked = sorted((each for each in evaluated if score.meets_goal(each)), key=score, reverse=True)
        chosen: list[EvaluatedGait] = []
        for each in ranked:
            place = self.space.place(each.point)
            if all(
                self.space.distance(place, self.space.place(other.point)) > MIN_CHECKED_DISTANCE for other in chosen
            ):
                chosen.append(each)
            if len(chosen) == MAX_CHECKED:
                break
        return chosen

    def _make_design(
        self, now: EvaluatedGait, check: PhysicsCheck, evaluated: list[EvaluatedGait], score: GaitScore, converged: bool
    ) -> Design:
        best = check.best
        notes = [] if converged else ["It has not converged: more gaits, --want budget=..., may find a better one."]
        sound = [each for each in evaluated if score.meets_goal(each)]
        front = pareto_front(sound)

        def picture(figure: Figure) -> None:
            draw(figure, self.case, now, best, sound, front)

        return Design(
            settings=best.point,
            old={**describe_gait(now.found), **check.old},
            new={**describe_gait(best.found), **check.new},
            better=score(best) > score(now) and check.better,
            notes=[*notes, *check.notes],
            draw=picture,
            table=tabulate_gaits(front),
        )


class GaitDesigner:
    """Designs gaits and bodies; `Model.design` of MinIAQ names it."""

    target = "gait"
    goal = GaitGoal
    columns = COLUMNS

    def ranges(self, case: StudyCase) -> Mapping[str, Range]:
        return RANGES

    def plan(self, case: StudyCase, goal: GaitGoal, ranges: Mapping[str, Range], seed: int) -> GaitDesignSearch:
        for name, (low, high) in ranges.items():
            case.check_range(name, low, high)
        case.check_settings()
        return GaitDesignSearch(case, goal, GaitSpace.of(case, ranges), seed)


DESIGNER = GaitDesigner()


def _describe_best(best: EvaluatedGait, score: GaitScore) -> str:
    if not best.valid:
        return f"none walks: {best.found['reason']}"
    if not score.meets_goal(best):
        return f"none goes forward at {score.goal.least_speed:g} m/s without turning"
    found = best.found
    return (
        f"best: mismatch {100 * found['mismatch']:.1f} %, {1e3 * found['speed_m_s']:.0f} mm/s, "
        f"cost of transport {found['cost_of_transport']:.3f}"
    )
