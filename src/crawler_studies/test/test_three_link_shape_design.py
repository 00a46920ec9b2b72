"""The search for shapes: what it finds, what it never lets win, and that it can be repeated."""

import dataclasses
import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_models.three_link import crawl
from crawler_studies.design.evolution_strategy import EvolutionStrategy
from crawler_studies.three_link.shape_design import Limits, design
from crawler_studies.three_link.shape_design.constraints import sample_all, stroke_deficit
from crawler_studies.three_link.shape_design.merit import INVALID_MERIT_MM, merits, verify
from crawler_studies.three_link.shape_design.task import ShapeTask
from gait_generators.kinds.fourier import Fourier
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_library import read_library


@pytest.fixture
def task(crawler):
    return ShapeTask.of(crawler, 8.0, Limits())


def tuned(crawler, name="omega_8", library="swing_18"):
    return read_library(crawler, library)[name].shape


def test_evolution_climbs_a_ridge_that_leans_across_the_axes():
    random = np.random.default_rng(1)
    turn, _ = np.linalg.qr(random.standard_normal((8, 8)))
    steepness = np.logspace(0, 4, 8)  # a thousand times narrower than long, as the condition number goes

    def height(points):
        return -(((points - 1.0) @ turn) ** 2 @ steepness)

    evolution = EvolutionStrategy(np.zeros(8), 0.3, 16, random)
    for _ in range(400):
        evolution.tell(height(evolution.ask()))
    assert height(evolution.ask()).max() > -1e-8


def test_a_shape_survives_being_made_a_vector(crawler, task):
    shape = tuned(crawler)
    again = task.decode(task.encode(shape, 9))
    assert again.cos[:, : shape.harmonics] == pytest.approx(shape.cos, abs=1e-15)
    assert not again.sin[:, shape.harmonics :].any()
    assert again.mean == pytest.approx(shape.mean, abs=1e-15)


def test_the_search_ranks_by_the_worst_step_of_the_reference(task):
    amplitude, half = math.radians(17.0), math.radians(99.0 / 2)  # phi0 + A sin(omega t ± psi/2)
    mean, sin = np.full(2, math.radians(110.0)), np.full((2, 1), amplitude * math.cos(half))
    harmonic = Shape(task.joints, mean, amplitude * math.sin(half) * np.array([[1.0], [-1.0]]), sin)
    steps = [
        crawl(dataclasses.replace(task.robot, mu1=mu1, mu2=mu2), Fourier(8.0, harmonic)).step_length
        for mu1, mu2 in task.frictions
    ]
    (merit,) = merits(task, [harmonic])
    assert merit == pytest.approx(1e3 * (min(steps) + 0.02 * np.mean(steps)), abs=1e-3)


def test_what_breaks_a_limit_ranks_behind_what_keeps_it(crawler, task):
    good = tuned(crawler)
    wide = dataclasses.replace(good, sin=1.1 * good.sin, cos=1.1 * good.cos)
    backwards = dataclasses.replace(good, sin=good.sin + np.eye(1, good.harmonics, 4) * np.radians([[6.0], [6.0]]))
    motion = sample_all(task, [good, wide, backwards], 256)
    assert (stroke_deficit(task, motion, 0.0) > 0.0).tolist() == [False, False, True]
    ranks = merits(task, [good, wide, backwards])
    assert ranks.argmax() == 0
    assert verify(task, wide) is None
    assert verify(task, backwards) is None
    assert verify(task, good) is not None


def test_a_gait_with_which_a_foot_lifts_never_wins(crawler):
    """At 40 rad/s the body is thrown off the ground, however far the joints may go."""
    task = ShapeTask.of(crawler, 40.0, Limits(swing=30.0, velocity=100.0, acceleration=5000.0))
    thrown = tuned(crawler, "omega_3.2", "swing_30")
    assert not crawl(task.robot, Fourier(40.0, thrown)).valid
    assert merits(task, [thrown])[0] <= INVALID_MERIT_MM
    assert verify(task, thrown) is None


@pytest.mark.exhaustive  # a search from a good start is in every run
def test_a_short_search_from_nothing_leaves_the_harmonic_gaits_behind(crawler):
    """The best harmonic gait of ±18° makes 20 mm in its worst case at 8 rad/s."""
    found = design(crawler, 8.0, budget=2000, seed=0)
    assert found.predicted is not None
    assert found.predicted.worst_step > 60.0
    assert verify(ShapeTask.of(crawler, 8.0, Limits()), found.shape) == found.predicted


def test_equal_arguments_give_equal_bits(crawler):
    start = tuned(crawler, "omega_6.5")
    one, two = (design(crawler, 8.0, start=start, budget=200, seed=7) for _ in range(2))
    other = design(crawler, 8.0, start=start, budget=200, seed=8)
    assert np.array_equal(one.shape.cos, two.shape.cos)
    assert one.predicted == two.predicted
    assert not np.array_equal(one.shape.cos, other.shape.cos)


def test_a_good_start_is_kept_unless_a_better_shape_is_found(crawler):
    file = read_library(crawler, "swing_18")["omega_8"]
    found = design(crawler, 8.0, start=file.shape, budget=60)
    assert found.predicted is not None
    assert file.predicted is not None
    assert found.predicted.worst_step >= file.predicted.worst_step - 0.02  # less what being scaled into limits costs


def test_progress_is_told_and_can_end_the_search(crawler):
    seen = []

    def watch(progress):
        seen.append(progress)
        return len(seen) == 3

    found = design(crawler, 8.0, start=tuned(crawler), budget=100_000, progress=watch)
    assert [progress.gaits for progress in seen] == sorted({progress.gaits for progress in seen})
    assert seen[-1].gaits < 2000
    assert found.predicted is not None
    assert found.predicted.worst_step > 150.0


def test_where_nothing_valid_is_found_it_says_what_to_allow(crawler):
    still = Shape(crawler.actuated_names, np.full(2, math.radians(110.0)), np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(UserError, match="no shape with 2 harmonics crawls within these limits at 8 rad/s: allow more"):
        design(crawler, 8.0, Limits(lightest_foot=0.9), start=still, harmonics=2, budget=60)


def test_a_robot_of_another_kind_cannot_be_designed_for():
    with pytest.raises(UserError, match="shapes are designed for three-link crawlers, and snake is none"):
        design(load_robot("snake"), 8.0)
