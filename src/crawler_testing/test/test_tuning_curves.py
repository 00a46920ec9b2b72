"""The optimiser on the robot; the whole measurement, ten seeds on three problems, is `tuning_curves.measure`."""

import pytest

from crawler_studies.tuning.optimiser.optimiser import Optimiser
from crawler_testing.bench.three_link.multistart import multistart
from crawler_testing.bench.three_link.tuning_curves import GOAL_SHARE, PROBLEMS, evaluate, tune_problem


@pytest.mark.exhaustive  # the other problem, which is harder, is tested in every run
def test_the_longest_step_is_found_within_sixty_evaluations_and_random_points_are_beaten():
    found = tune_problem(PROBLEMS[0], range(2))
    assert found.reached == 2
    assert found.beats_chance
    assert found.optimum > 0.12  # five times the step without time scaling


def test_the_optimum_among_many_local_ones_is_found():
    problem = PROBLEMS[2]  # 16 rad/s, where contact is lost here and there
    plan = problem.plan()
    optimum = 0.09998  # m, by differential evolution in some 3000 evaluations
    optimiser = Optimiser(plan.space, 0)
    for _ in range(60):
        point = optimiser.ask()
        optimiser.tell(point, float(evaluate(plan, [point])[0]))
    best = optimiser.best_value
    assert GOAL_SHARE * optimum < best < 1.001 * optimum


def test_multistart_counts_every_evaluation_and_leaves_local_optima_by_new_starts():
    calls = []

    def two_hills(unit):
        calls.append(unit)
        return 1e-2 * max(0.0, 1.0 - 40.0 * (unit[0] - 0.9) ** 2, 0.5 - 2.0 * (unit[0] - 0.3) ** 2)

    values = multistart(two_hills, 1, seed=2, budget=200)
    assert len(values) == len(calls) == 200
    assert values.max() == pytest.approx(1e-2, rel=1e-3)
    assert calls[0][0] == pytest.approx(0.351, abs=1e-3)  # in the basin of the lower hill
    assert values[:6].max() < 0.51e-2
