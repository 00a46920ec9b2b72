"""The optimiser: reaches the optimum in few evaluations, avoids what is not valid, and depends on nothing hidden."""

import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_studies.study.study_case import StudyCase
from crawler_studies.tuning.optimiser.acquisition import log_expected_improvement
from crawler_studies.tuning.optimiser.optimiser import Optimiser
from crawler_studies.tuning.optimiser.space import TuningSpace, Variable, make_space
from crawler_studies.tuning.optimiser.surrogate import fit

SQUARE = TuningSpace((Variable("gait.psi", 0.0, 180.0), Variable("gait.omega", 1.0, 3.0)))


def drive(optimiser, function, count):
    points = []
    for _ in range(count):
        points.append(optimiser.ask())
        optimiser.tell(points[-1], function(points[-1]))
    return points


def hill(point):
    """A kinked hill of height 1 at (60, 2.5)."""
    return 1.0 - abs(point["gait.psi"] - 60.0) / 90.0 - abs(point["gait.omega"] - 2.5)


# what it learns from


def test_the_best_gait_at_an_edge_is_found_and_what_lies_beyond_never_wins():
    def function(point):
        return math.nan if point["gait.psi"] > 100.0 else hill(point) + point["gait.psi"] / 30.0

    optimiser = Optimiser(SQUARE, 3)
    points = drive(optimiser, function, 40)
    assert 90.0 < points[optimiser.best]["gait.psi"] <= 100.0
    # the hill goes on rising beyond the edge for all that is known: half of an optimist's questions would lie there
    assert np.mean([point["gait.psi"] > 100.0 for point in points[10:]]) < 0.35


def test_it_learns_to_stay_away_from_where_nothing_is_valid():
    def function(point):
        return math.nan if point["gait.psi"] > 75.0 else hill(point)

    points = drive(Optimiser(SQUARE, 3), function, 40)
    # there are 58 % of all evenly spread points; a quarter is what boldness costs
    assert np.mean([point["gait.psi"] > 75.0 for point in points[10:]]) < 0.35


def test_with_nothing_valid_it_goes_on_looking():
    optimiser = Optimiser(SQUARE, 0)
    points = drive(optimiser, lambda _: math.nan, 70)
    assert optimiser.best is None
    assert len({tuple(point.values()) for point in points}) == 70


def test_noise_does_not_lead_it_astray():
    random = np.random.default_rng(5)
    optimiser = Optimiser(SQUARE, 1)
    points = drive(optimiser, lambda point: hill(point) + 0.03 * random.standard_normal(), 45)
    assert np.median([hill(point) for point in points[-15:]]) > 0.6
    assert hill(points[optimiser.best]) > 0.85


def test_the_noise_of_the_values_is_estimated():
    random = np.random.default_rng(0)
    x = random.random((60, 1))
    clean = np.sin(6.0 * x[:, 0]) / math.sqrt(0.5)
    noisy = fit(x, clean + 0.3 * random.standard_normal(60), seed=0).kernel_.k2.noise_level
    still = fit(x, clean, seed=0).kernel_.k2.noise_level
    assert 0.05 < noisy < 0.16  # 0.3² = 0.09, from sixty values
    assert still < 1e-3


# determinism


def test_a_new_optimiser_that_is_told_the_same_asks_the_same():
    whole = Optimiser(SQUARE, 7)
    points = drive(whole, hill, 30)
    for stopped_after in (3, 12, 25):
        again = Optimiser(SQUARE, 7)
        for point in points[:stopped_after]:
            again.tell(point, hill(point))
        assert drive(again, hill, 30 - stopped_after) == points[stopped_after:]


def test_another_seed_asks_other_points():
    assert Optimiser(SQUARE, 0).ask() != Optimiser(SQUARE, 1).ask()


def test_no_point_is_asked_for_twice():
    points = drive(Optimiser(SQUARE, 2), hill, 50)
    assert len({tuple(point.values()) for point in points}) == 50


def test_the_improvement_of_a_hopeless_place_is_small_but_not_nothing():
    z = np.array([-40.0, -20.0, -6.0, -5.0, -4.999, 0.0, 3.0])
    found = log_expected_improvement(z, np.ones_like(z), 0.0)
    assert (np.diff(found) > 0.0).all()
    assert found[5] == pytest.approx(math.log(1.0 / math.sqrt(2.0 * math.pi)))
    assert found[0] == pytest.approx(-0.5 * 40.0**2 - math.log(math.sqrt(2.0 * math.pi) * 40.0**2), abs=0.01)


# the space


def test_an_angle_that_turns_has_no_ends():
    (variable,) = make_space(StudyCase("three_link", "time_scaled"), ["gait.upsilon"]).variables
    assert (variable.low, variable.high, variable.periodic) == (0.0, 360.0, True)
    space = TuningSpace((variable,))
    near, far = space.features(np.array([[0.001], [0.999], [0.5]]))[[0, 2]]
    first, last, _ = space.features(np.array([[0.001], [0.999], [0.5]]))
    assert np.linalg.norm(first - last) < 0.01 < np.linalg.norm(near - far)
    assert space.inside(np.array([[1.25]])) == pytest.approx(0.25)


def test_ranges_are_sensible_ones_unless_the_user_gives_them():
    space = make_space(StudyCase("three_link"), ["gait.psi", "gait.omega=1:3"])
    assert [(v.low, v.high) for v in space.variables] == [(0.0, 180.0), (1.0, 3.0)]


def test_points_are_rounded_to_what_a_set_line_says():
    point = SQUARE.point(np.array([1.0 / 3.0, 0.123456789]))
    assert point == {"gait.psi": 60.0, "gait.omega": 1.2469}
    assert SQUARE.point(SQUARE.unit(point)) == point


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to tune"),
        (["gait.pci"], "did you mean 'gait.psi'"),
        (["gait.psi=20"], "no range"),
        (["gait.psi=a:b"], "no range"),
        (["gait.psi=0:inf"], "no range"),
        (["gait.psi=90:90"], "empty"),
        (["gait.psi=90:20"], "empty"),
        (["gait.omega=1:300"], "0.05 to 40 rad/s"),
        (["gait.psi", "gait.psi=0:90"], "twice"),
    ],
)
def test_a_range_that_cannot_be_is_refused_with_a_sentence(words, said):
    with pytest.raises(UserError, match=said):
        make_space(StudyCase("three_link"), words)
