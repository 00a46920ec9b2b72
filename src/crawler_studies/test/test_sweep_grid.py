"""What the user may write for a variable, and the points that follow from it."""

import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_studies.study.study_case import StudyCase
from crawler_studies.sweep.chunk_size import ChunkSize
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.variable import parse_variable, parse_variables

CASE = StudyCase("three_link")


def test_a_range_is_evenly_spaced_and_has_exactly_its_ends() -> None:
    variable = parse_variable(CASE, "gait.omega=0.3:20:100")
    assert len(variable.values) == 100
    assert (variable.values[0], variable.values[-1]) == (0.3, 20.0)
    assert np.diff(variable.values) == pytest.approx(19.7 / 99)
    assert variable.unit == "rad/s"


def test_logarithmic_spacing_has_equal_factors() -> None:
    variable = parse_variable(CASE, "gait.omega=0.3:20:10:log")
    assert (variable.values[0], variable.values[-1]) == (0.3, 20.0)
    assert np.diff(np.log(variable.values)) == pytest.approx(math.log(20 / 0.3) / 9)
    assert variable.log


def test_a_list_is_taken_as_it_is() -> None:
    assert parse_variable(CASE, "gait.psi=10,20.5,30").values == (10.0, 20.5, 30.0)
    assert parse_variable(CASE, "robot.friction_scale_1=8e-1,1.2").values == (0.8, 1.2)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("gait.omega", "is no variable"),
        ("gait.omga=1:2:3", "did you mean 'gait.omega'"),
        ("omega=1:2:3", "there is no parameter 'omega'"),
        ("backend.rate=100:200:3", "there is no parameter 'backend.rate'"),
        ("gait.omega=1:2", "is no range"),
        ("gait.omega=1:2:3:4", "is no range"),
        ("gait.omega=1:2:3:ln", "is no range"),
        ("gait.omega=1:2:2.5", "'2.5' is no whole number"),
        ("gait.omega=1:2:1", "has 1 points"),
        ("gait.omega=1:2:0", "has 0 points"),
        ("gait.omega=1:2:-3", "has -3 points"),
        ("gait.omega=2:1:3", "is empty: 2 is not below 1"),
        ("gait.omega=2:2:3", "is empty"),
        ("gait.omega=1:x:3", "'x' in 'gait.omega=1:x:3' is no number"),
        ("gait.omega=1:inf:3", "no finite number"),
        ("gait.omega=nan,3", "no finite number"),
        ("gait.omega=", "'' in 'gait.omega=' is no number"),
        ("gait.omega=8", "has one value"),
        ("gait.omega=8,8", "must rise: 8 follows 8"),
        ("gait.omega=8,9,7", "must rise: 7 follows 9"),
        ("gait.omega=1:50:3", "0.05 to 40 rad/s"),
        ("gait.omega=0.01,3", "0.05 to 40 rad/s"),
        ("gait.psi=-90:90:10:log", "-90 is not above 0"),
    ],
)
def test_a_variable_that_cannot_be_is_one_sentence(word: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_variable(CASE, word)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_same_variable_twice_is_refused() -> None:
    with pytest.raises(UserError, match=r"gait\.omega is varied twice"):
        parse_variables(CASE, ["gait.omega=1:2:3", "gait.psi=1:2:3", "gait.omega=4:5:6"])


def test_nothing_to_vary_and_too_much_of_it_are_refused() -> None:
    with pytest.raises(UserError, match="give --vary"):
        Grid(())
    variables = parse_variables(CASE, [f"gait.{name}=1:2:1000" for name in ("omega", "psi", "amplitude")])
    with pytest.raises(UserError, match="1000000000 points are more than"):
        Grid(variables)


def test_the_points_are_every_combination_once() -> None:
    grid = Grid(parse_variables(CASE, ["gait.omega=1,2,3", "gait.psi=10,20"]))
    points = grid.points(range(grid.size))
    assert points[:3] == [
        {"gait.omega": 1.0, "gait.psi": 10.0},
        {"gait.omega": 1.0, "gait.psi": 20.0},
        {"gait.omega": 2.0, "gait.psi": 10.0},
    ]
    assert {tuple(point.values()) for point in points} == {(o, p) for o in (1.0, 2.0, 3.0) for p in (10.0, 20.0)}
    assert grid.points([4]) == [points[4]]


def test_the_pace_comes_to_what_the_time_allows() -> None:
    pace = ChunkSize()
    assert pace.size == 1
    sizes = []
    for _ in range(8):  # a thousand points per second
        pace.update(pace.size, 1e-3 * pace.size)
        sizes.append(pace.size)
    assert sizes[:3] == [8, 64, 400]
    assert sizes[-1] == 400
    pace.update(400, 4000.0)  # and then ten seconds for one: no more than one at a time
    assert pace.size == 1
