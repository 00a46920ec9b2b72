"""PyBullet's steady crawl against the equations', each found by its own evaluator."""

import math

import pytest

from crawler_core.errors import UserError
from crawler_studies.model_evaluator import ModelEvaluator
from crawler_studies.physics_evaluator import Blocks, PhysicsEvaluator
from crawler_studies.subject import Subject

pytest.importorskip("pybullet")

PAPER = Subject("three_link")
SOFT = Subject("three_link", settings={"robot": {"friction": 0.398}, "gait": {"phi0": 145.0}})


@pytest.mark.parametrize(
    ("subject", "omega", "step"),  # mm
    [
        pytest.param(PAPER, 3.2, 23.0822, marks=pytest.mark.exhaustive),
        (PAPER, 8.0, 2.8304),
        (PAPER, 16.0, 7.3171),
    ],
)
def test_physics_makes_the_equations_steps(subject: Subject, omega: float, step: float) -> None:
    (found,) = PhysicsEvaluator.of(subject, {}).evaluate([{"gait.omega": omega}])
    (told,) = ModelEvaluator(subject).evaluate([{"gait.omega": omega}])
    assert told.step_length * 1e3 == pytest.approx(step, abs=1e-3)
    assert found.valid
    # an error of first order in the physics step, of slides that are much longer than the robot's step
    assert abs(found.step_length - told.step_length) < max(0.03 * told.step_length, 2e-4)
    assert found.speed == pytest.approx(found.step_length * omega / (2.0 * math.pi))
    force = "min_normal_force_N"
    assert found.own[force] == pytest.approx(told.own[force], abs=5e-3)  # N, of a weight of 2.3
    assert set(found.own) == {force}  # what only equations know stays empty


def test_a_foot_that_leaves_the_ground_is_not_valid_in_either() -> None:
    point = {"gait.omega": 20.0}  # contact is lost above about 18.3
    (found,), (told,) = PhysicsEvaluator.of(SOFT, {}).evaluate([point]), ModelEvaluator(SOFT).evaluate([point])
    assert not told.valid
    assert not found.valid
    assert "leaves the ground" in found.reason
    assert math.isnan(found.step_length)


def test_the_same_evaluation_comes_to_the_same_bits() -> None:
    evaluator = PhysicsEvaluator.of(PAPER, {})
    alone = evaluator.evaluate([{"gait.omega": 20.0}])
    after_another = evaluator.evaluate([{"gait.omega": 16.0}, {"gait.omega": 20.0}])
    assert after_another[1].step_length == alone[0].step_length


def test_a_gait_beyond_the_joints_limits_is_a_result_and_no_exception() -> None:
    (found,) = PhysicsEvaluator.of(PAPER, {}).evaluate([{"gait.amplitude": 70.0}])
    assert not found.valid
    assert "its limit is" in found.reason


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"rate": 5}, "backend.rate = 5"),
        ({"physics_rat": 1000}, "did you mean 'backend.physics_rate'"),
        ({"gui": True}, "backend.gui"),
        ({"lockstep": True}, "backend.lockstep"),
    ],
)
def test_settings_that_mean_nothing_here_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(UserError) as refused:
        PhysicsEvaluator.of(PAPER, values)
    assert said in str(refused.value)


def test_settings_change_what_is_computed_and_are_part_of_the_identity() -> None:
    evaluator = PhysicsEvaluator.of(PAPER, {"physics_rate": 500.0, "rate": 100})
    assert evaluator.identity["physics_rate"] == 500.0
    assert evaluator.identity["rate"] == 100.0
    assert evaluator.identity["servo_stiffness"] == 12.0  # the robot's own over the backend's


@pytest.mark.parametrize("omega", [0.3, 1.0, 3.2, 5.5, 8.0, 17.8, 40.0])
def test_a_block_has_whole_periods_and_ticks_and_goes_once_through_the_beat(omega: float) -> None:
    period = 2.0 * math.pi / omega
    blocks = Blocks.of(period, 500.0)
    assert blocks.ticks * blocks.dt == pytest.approx(blocks.periods * period, rel=1e-12)
    assert blocks.dt <= 1.0 / 500.0 + 1e-12
    begins = {round(k * period / blocks.dt % 1.0 * blocks.periods) % blocks.periods for k in range(blocks.periods)}
    assert len(begins) == blocks.periods  # no two periods begin at the same place between ticks
