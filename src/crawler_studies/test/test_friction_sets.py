"""The criterion of robustness gives the paper's numbers."""

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_studies.evaluators.friction_sets import asymmetric, check_spread, corners, robust
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.study.study_case import StudyCase
from crawler_studies.tuning.objective import make_objective

SLOW = StudyCase("three_link", settings={"gait": {"omega": 0.3}})


def value(name, psi, friction_set="asymmetric"):
    objective = make_objective(name, SLOW, friction_set)
    return objective.value(ModelEvaluator(SLOW), {"gait.psi": psi}, lambda: False)[0]


def test_a_slow_gait_loses_half_its_step_at_the_phase_that_is_best_without_spread():
    assert value("robust_step", 16.0) / value("step", 16.0) == pytest.approx(0.5, abs=0.005)


def test_the_robust_optimum_of_a_slow_gait_is_near_57_degrees_and_24_percent_below_the_longest_step():
    psi = np.arange(45.0, 70.0, 3.0)
    found = [value("robust_step", float(p)) for p in psi]
    assert abs(psi[int(np.argmax(found))] - 57.0) <= 3.0  # the paper's 56, ours 57, on a grid of 3
    assert max(found) / value("step", 16.0) == pytest.approx(0.76, abs=0.01)


def test_the_worst_step_is_no_longer_than_the_robust_one():
    assert value("worst_step", 57.0) < value("robust_step", 57.0)


def test_the_literal_box_contradicts_the_papers_own_optimum():
    # all through the box the step at 57 degrees falls by more than 24 %: that is why it is not the default
    assert value("robust_step", 57.0, "corners") / value("step", 16.0) < 0.6


def test_the_samples_of_the_set_are_dense_enough_where_an_extreme_lies_inside():
    def over(scales):
        points = [{"gait.psi": 8.0, "robot.friction_scale_1": a, "robot.friction_scale_2": b} for a, b in scales]
        return robust([result.step_length for result in ModelEvaluator(SLOW).evaluate(points)])

    assert over(asymmetric(0.1)) == pytest.approx(over(asymmetric(0.1, samples=513)), rel=1e-2)


def test_friction_sets_are_what_their_names_say():
    scales = np.array(asymmetric(0.1))
    assert scales.sum(axis=1) == pytest.approx(2.0)
    assert scales[:, 0].min() == pytest.approx(0.95)
    assert [1.0, 1.0] in scales.tolist()
    assert len(set(corners(0.2))) == 9
    assert min(corners(0.2)) == pytest.approx((0.8, 0.8))


def test_what_is_kept_of_a_set():
    assert robust([3.0, 1.0, 2.5]) == 2.0


@pytest.mark.parametrize("spread", [0.0, -0.1, 0.95])
def test_a_spread_that_makes_no_set_is_refused(spread):
    with pytest.raises(UserError, match="spread"):
        check_spread(spread)


def test_a_users_own_scale_of_a_foot_is_kept():
    case = StudyCase("three_link", settings={"robot": {"friction_scale_1": 1.5}})
    points = make_objective("worst_step", case, "corners").points({"robot.friction_scale_2": 0.5})
    assert {round(point["robot.friction_scale_1"], 9) for point in points} == {1.35, 1.5, 1.65}
    assert {round(point["robot.friction_scale_2"], 9) for point in points} == {0.45, 0.5, 0.55}
