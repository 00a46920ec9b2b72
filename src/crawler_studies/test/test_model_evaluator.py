"""Many points at once by the compiled maps, against one after the other by the plain solver."""

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.gait_registry import GAITS, make_gait


def points(rng, **ranges):
    names = [name.replace("__", ".") for name in ranges]
    return [dict(zip(names, (float(rng.uniform(*ends)) for ends in ranges.values()), strict=True)) for _ in range(40)]


@pytest.mark.parametrize(
    ("gait", "ranges"),
    [
        ("harmonic", {"gait__omega": (0.3, 16.0), "gait__psi": (0.0, 180.0)}),
        # some of these are too fast or too far for the joints, and some lose contact
        ("harmonic", {"gait__omega": (5.0, 40.0), "gait__phi0": (60.0, 165.0), "robot__friction": (0.1, 1.5)}),
        ("time_scaled", {"gait__alpha": (0.0, 0.9), "gait__upsilon": (-180.0, 180.0), "robot__mass_1": (0.01, 0.05)}),
        ("fourier", {"gait__omega": (1.0, 16.0), "robot__friction_scale_1": (0.9, 1.1), "robot__gravity": (9.0, 10.0)}),
    ],
)
def test_a_batch_is_what_its_points_are_one_by_one(gait, ranges):
    evaluator = ModelEvaluator(StudyCase("three_link", gait))
    batch = points(np.random.default_rng(3), **ranges)
    results = evaluator.evaluate(batch)
    for point, found in zip(batch, results, strict=True):
        expected = evaluator.evaluate_point(point)
        assert found.valid == expected.valid, (point, found.reason, expected.reason)
        if expected.valid:
            assert found.step_length == pytest.approx(expected.step_length, abs=1e-6)
            assert found.speed == pytest.approx(expected.speed, abs=1e-6)
            assert found.extra["unique"] == expected.extra["unique"]
        else:
            assert found.reason
    assert any(result.valid for result in results)


def test_what_a_point_comes_to_does_not_depend_on_the_points_beside_it():
    evaluator = ModelEvaluator(StudyCase("three_link"))
    omegas = np.linspace(0.3, 9.0, 30).tolist()
    grid = [{"gait.omega": omega, "gait.psi": psi} for omega in omegas for psi in (0.0, 20.0)]
    together = evaluator.evaluate(grid)
    apart = [result for k in range(0, 60, 7) for result in evaluator.evaluate(grid[k : k + 7])]
    assert together == apart


def test_a_point_outside_a_parameters_range_is_invalid_and_says_so():
    good, bad = ModelEvaluator(StudyCase("three_link")).evaluate([{"gait.omega": 8.0}, {"gait.omega": 80.0}])
    assert good.valid
    assert "gait.omega" in bad.reason
    assert "40" in bad.reason


@pytest.mark.parametrize("name", [name for name, entry in GAITS.items() if entry.paced])
def test_a_paced_gait_has_the_same_path_at_every_omega(name):
    spec = load_robot("three_link")
    phase = np.linspace(0.0, 1.0, 50)
    paths = []
    for omega in (1.0, 7.0):
        gait = make_gait(spec, name, {"omega": omega})
        paths.append(gait.sample(phase * gait.period).position)
    assert paths[0] == pytest.approx(paths[1], abs=1e-12)
