"""Physics' steady crawl against the equations', each found by its own evaluator."""

import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_evaluator import Blocks, PhysicsEvaluator, law_block_periods
from crawler_studies.study.study_case import StudyCase
from sim_bridge.physics.engines import installed_engines

PAPER = StudyCase("three_link")
SOFT = StudyCase("three_link", settings={"robot": {"friction": 0.398}, "gait": {"phi0": 145.0}})


*OTHERS, QUICKEST = installed_engines()
FORCE = {"pybullet": 5e-3, "mujoco": 0.02}  # N: MuJoCo's contacts give way where friction turns round
EACH_ENGINE = [QUICKEST, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in OTHERS)]


@pytest.mark.parametrize("engine", EACH_ENGINE)
@pytest.mark.parametrize(
    ("case", "omega", "step"),  # mm
    [
        pytest.param(PAPER, 3.2, 23.0822, marks=pytest.mark.exhaustive),
        (PAPER, 8.0, 2.8304),
        (PAPER, 16.0, 7.3171),
    ],
)
def test_physics_makes_the_equations_steps(engine: str, case: StudyCase, omega: float, step: float) -> None:
    (found,) = PhysicsEvaluator.of(case, {}, engine).evaluate([{"gait.omega": omega}])
    (told,) = ModelEvaluator(case).evaluate([{"gait.omega": omega}])
    assert told.step_length * 1e3 == pytest.approx(step, abs=1e-3)
    assert found.valid
    # an error of first order in the physics step, of slides that are much longer than the robot's step
    assert abs(found.step_length - told.step_length) < max(0.03 * told.step_length, 2e-4)
    assert found.speed == pytest.approx(found.step_length * omega / (2.0 * math.pi))
    force = "min_normal_force_N"
    assert found.extra[force] == pytest.approx(told.extra[force], abs=FORCE[engine])  # N, of a weight of 2.3
    assert set(found.extra) == {force}  # what only equations know stays empty


SOFT_STEPS = [0.3, 1.0, 3.2, 8.0, 16.0]  # rad/s


@pytest.mark.exhaustive  # the steps above and those of the backends in every run are the quicker siblings
@pytest.mark.parametrize("engine", installed_engines())
@pytest.mark.parametrize("omega", SOFT_STEPS)
def test_physics_makes_the_equations_steps_on_soft_tips(engine: str, omega: float) -> None:
    point = {"gait.omega": omega}
    case = StudyCase("three_link", settings={"robot": {"friction": 0.398}})
    (found,), (told,) = (
        PhysicsEvaluator.of(case, {}, engine).evaluate([point]),
        ModelEvaluator(case).evaluate([point]),
    )
    assert found.valid == told.valid, found.reason
    assert abs(found.step_length - told.step_length) < max(0.03 * abs(told.step_length), 1.5e-4)


def random_points(count: int, seed: int) -> list[dict[str, float]]:
    """Gaits over the joints' range, on floors from half of the hard tips' friction to the soft ones'."""
    rng = np.random.default_rng(seed)
    return [
        {
            "gait.omega": float(np.exp(rng.uniform(np.log(0.8), np.log(16.0)))),
            "gait.amplitude": float(rng.uniform(8.0, 25.0)),
            "gait.phi0": float(rng.uniform(98.0, 140.0)),
            "gait.psi": float(rng.uniform(0.0, 180.0)),
            "robot.friction": float(rng.uniform(0.086, 0.398)),
        }
        for _ in range(count)
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("engine", installed_engines())
def test_physics_makes_the_steps_of_twenty_random_gaits(engine: str) -> None:
    points = random_points(60, seed=12)
    told = ModelEvaluator(PAPER).evaluate(points)
    sound = [(point, one) for point, one in zip(points, told, strict=True) if one.valid and one.extra["unique"]][:20]
    assert len(sound) == 20
    found = PhysicsEvaluator.of(PAPER, {}, engine).evaluate([point for point, _ in sound])
    for one, (point, by_equations) in zip(found, sound, strict=True):
        assert one.valid, (point, one.reason)
        off = abs(one.step_length - by_equations.step_length)
        assert off < max(0.03 * abs(by_equations.step_length), 1.5e-4), point


def test_a_foot_that_leaves_the_ground_is_not_valid_in_either() -> None:
    point = {"gait.omega": 20.0}  # contact is lost above about 18.3
    (found,), (told,) = (
        PhysicsEvaluator.of(SOFT, {}, QUICKEST).evaluate([point]),
        ModelEvaluator(SOFT).evaluate([point]),
    )
    assert not told.valid
    assert not found.valid
    assert "leaves the ground" in found.reason
    assert math.isnan(found.step_length)


def test_the_same_evaluation_comes_to_the_same_bits() -> None:
    evaluator = PhysicsEvaluator.of(PAPER, {"physics_rate": 1000.0}, QUICKEST)
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


@pytest.mark.parametrize(("period", "periods"), [(0.4, 10), (1.0 / 2.6, 13), (0.7, 6), (math.pi / 4.0, 10), (20.0, 1)])
def test_a_block_under_a_law_is_a_whole_beat_of_periods_and_ticks_where_there_is_one(
    period: float, periods: int
) -> None:
    assert law_block_periods(period, 0.002) == periods
