"""MinIAQ in physics beside its equations: the same claims, by the same columns, and a robot that tips over."""

import pytest

from crawler_studies.evaluators import physics_evaluator
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_columns import PHYSICS_COLUMNS
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.study.study_case import StudyCase, extra_columns
from crawler_studies.tuning.objective import make_objective

EVEN = StudyCase(
    "miniaq", "trot", {"controller": {"encoder_counts": 0}}
)  # cranks that turn as evenly as the equations'


@pytest.mark.exhaustive  # gaits are compared in physics in every run
def test_physics_measures_what_the_equations_predict_of_the_feet(monkeypatch):
    monkeypatch.setattr(
        physics_evaluator, "MIN_LAW_BLOCK_TIME_S", 1.0
    )  # s: quicker, and steady enough for what is compared
    monkeypatch.setattr(physics_evaluator, "RELATIVE_TOLERANCE", 0.01)
    (found,), (told,) = PhysicsEvaluator.of(EVEN, {}).evaluate([{}]), ModelEvaluator(EVEN).evaluate([{}])
    assert found.valid, found.reason
    assert found.extra.keys() == told.extra.keys() == extra_columns(EVEN.spec).keys() <= PHYSICS_COLUMNS.keys()
    # physics has friction with one coefficient, feet with a linear spring, legs with mass, and cranks that ripple by
    # what torque their motors have: what the feet do agrees, speed and work differ by some percent
    assert found.speed == pytest.approx(told.speed, rel=0.06)
    assert found.extra["energy_per_stride_J"] == pytest.approx(told.extra["energy_per_stride_J"], rel=0.1)
    for name, apart in (
        ("mismatch", 0.02),
        ("duty_front", 0.02),
        ("duty_hind", 0.02),
        ("three_down_share", 0.03),
        ("pushed_back_share", 0.03),
        ("drag_share", 0.02),
        ("roll_amplitude_deg", 0.1),
        ("pitch_low_deg", 0.1),
        ("pitch_high_deg", 0.1),
    ):
        assert found.extra[name] == pytest.approx(told.extra[name], abs=apart), name
    assert found.extra["three_down_share"] > 0.85
    assert found.extra["duty_hind"] > 1.5 * found.extra["duty_front"]


def test_each_column_can_be_an_aim():
    assert make_objective("mismatch", EVEN, "asymmetric", minimised=True).label == "least_mismatch"
    (found,) = ModelEvaluator(EVEN).evaluate([{"gait.ahead_hl": 90.0, "gait.ahead_hr": -90.0}])
    for name in extra_columns(EVEN.spec):
        assert make_objective(name, EVEN, "asymmetric").of([found]) == found.extra[name]


def test_a_robot_that_cannot_stand_on_its_feet_is_no_valid_point_anywhere(monkeypatch):
    monkeypatch.setattr(physics_evaluator, "MIN_LAW_BLOCK_TIME_S", 1.0)
    tipping = {"robot.front_x": -0.03}
    (told,), (found,) = ModelEvaluator(EVEN).evaluate([tipping]), PhysicsEvaluator.of(EVEN, {}).evaluate([tipping])
    assert not told.valid
    assert "tip" in told.reason
    assert not found.valid
    assert found.reason.endswith(".")
