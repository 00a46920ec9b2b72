"""Choosing a gait by name and parameters, and what is said when that fails."""

import dataclasses
import math
import subprocess
import sys

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_models.three_link import ThreeLink, crawl
from gait_generators.kinds.gait_registry import gait_parameters, make_gait
from gait_generators.kinds.harmonic import Harmonic
from gait_generators.kinds.time_scaled import TimeScaled


def test_the_users_values_go_over_the_robots_over_the_gaits_own(crawler):
    gait = make_gait(crawler, "time_scaled", {"alpha": 0.4})
    assert isinstance(gait, TimeScaled)
    assert (gait.alpha, gait.omega, gait.psi) == (0.4, 3.2, math.radians(98.65))


def test_the_robots_time_scaled_gait_is_that_of_fig_10_and_lifts_the_step_by_1_86(crawler):
    scaled, plain = (make_gait(crawler, "time_scaled", values) for values in ({}, {"alpha": 0.0}))
    steps = [1e3 * crawl(ThreeLink.from_parameters(crawler.parameters), gait).step_length for gait in (plain, scaled)]
    assert steps == pytest.approx([57.87, 107.47], abs=0.01)


def test_without_a_name_it_is_the_robots_default_gait(crawler):
    gait = make_gait(crawler, None, {})
    assert isinstance(gait, Harmonic)
    assert gait.omega == 1.3


def test_the_listed_defaults_are_those_of_the_robot(crawler):
    infos = {info.name: info for info in gait_parameters(crawler, "time_scaled")}
    assert (infos["omega"].default, infos["psi"].default, infos["psi"].unit) == (3.2, 98.65, "deg")


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("harmonik", {}, "there is no gait 'harmonik': did you mean 'harmonic'?"),
        ("harmonic", {"omgea": 1.0}, "there is no parameter 'gait.omgea': did you mean 'gait.omega'?"),
        ("harmonic", {"alpha": 0.5}, "there is no parameter 'gait.alpha'"),
        ("harmonic", {"omega": 0.0}, "gait.omega = 0.0 is not allowed: it must be 0.05 to 40 rad/s."),
        ("time_scaled", {"alpha": 1.0}, "gait.alpha = 1.0 is not allowed: it must be 0 to 0.999."),
    ],
)
def test_refusals_name_the_parameter_and_what_would_be_right(crawler, name, values, sentence):
    with pytest.raises(UserError) as refused:
        make_gait(crawler, name, values)
    assert sentence in str(refused.value)


def test_a_gait_for_two_joints_is_refused_by_a_robot_with_three(crawler):
    third = dataclasses.replace(crawler.joints[0], name="joint_3")
    longer = dataclasses.replace(crawler, joints=(*crawler.joints, third))
    with pytest.raises(UserError, match="the gait 'harmonic' moves 2 joints, but three_link has 3 actuated"):
        make_gait(longer, "harmonic", {})


def test_a_robot_without_a_default_gait_asks_for_one(crawler):
    with pytest.raises(UserError, match="three_link has no default gait: choose one of fourier, harmonic, time_scaled"):
        make_gait(dataclasses.replace(crawler, sections={}), None, {})


def test_a_gait_that_is_made_for_other_equations_is_refused_with_those_that_fit(crawler):
    sentence = "the gait 'serpenoid' is made for the equations snake, but those of three_link are three_link: "
    with pytest.raises(UserError, match=sentence + "choose one of fourier, harmonic, time_scaled"):
        make_gait(crawler, "serpenoid", {})


def test_a_robot_without_equations_may_have_any_gait_that_fits_its_joints():
    snake = load_robot("snake")
    own = dataclasses.replace(snake, name="my_snake", equations="")
    t = np.linspace(0.0, 9.0, 50)
    ours, theirs = make_gait(own, "serpenoid", {}).sample(t), make_gait(snake, "serpenoid", {}).sample(t)
    assert (ours.position == theirs.position).all()


def test_the_names_of_the_gaits_are_known_before_any_of_them_is_imported():
    """What lists gaits, such as --help, starts quickly."""
    code = (
        "import sys\nfrom gait_generators.kinds.gait_registry import GAITS\nnames = list(GAITS)\n"
        "assert 'serpenoid' in names\n"
        "unneeded = ('gait_generators.kinds.snake.serpenoid', 'crawler_models.snake')\n"
        "print([name for name in sys.modules if name.startswith(unneeded)])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
