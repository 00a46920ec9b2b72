"""MinIAQ at rest on its feet."""

from dataclasses import replace

import numpy as np
import pytest
from miniaq_cases import LOWEST, PHASES, ROBOT, cranks

from crawler_models.miniaq.equations.dynamics import derivative, feet, legs
from crawler_models.miniaq.walks.statics import standing

STILL = np.zeros(4)
RANDOM = np.random.default_rng(4).uniform(-np.pi, np.pi, (40, 4))


@pytest.mark.parametrize("gait", PHASES)
def test_nothing_accelerates(gait):
    found = standing(ROBOT, cranks(gait))
    # 1e-11 of the weight is left over, and a torque of as much over the body's length turns it at 1e-7 rad/s²
    np.testing.assert_allclose(derivative(ROBOT, found, cranks(gait), STILL), 0.0, atol=1e-7)


def test_it_stands_whatever_its_cranks_are():
    for crank in RANDOM:
        found = standing(ROBOT, crank)
        force = feet(ROBOT, found, crank, STILL).force
        assert force[:, 2].sum() == pytest.approx(ROBOT.m * ROBOT.g, rel=1e-9)
        assert (force[:, 2] > 0.0).sum() >= 3
        assert (force[:, :2] == 0.0).all()
        assert np.degrees(np.abs(found[3:5])).max() < 15.0


def test_each_foot_bears_what_the_levers_ask_for():
    crank = np.full(4, LOWEST)
    found = standing(ROBOT, crank)
    r_E, force = legs(ROBOT, crank, STILL)[0], feet(ROBOT, found, crank, STILL).force[:, 2]
    front, hind = r_E[0, 0], r_E[2, 0]
    share = -hind / (front - hind)  # of the weight, on the front feet; the body is level to 1e-5
    np.testing.assert_allclose(force, ROBOT.m * ROBOT.g / 2.0 * np.array([share] * 2 + [1.0 - share] * 2), rtol=2e-4)
    depth = np.sqrt(force / ROBOT.K)
    np.testing.assert_allclose(-feet(ROBOT, found, crank, STILL).position[:, 2], depth, rtol=1e-9)


def test_the_foot_that_is_highest_by_far_hangs_in_the_air():
    crank = np.array([LOWEST, LOWEST, LOWEST, LOWEST - np.pi])
    force = feet(ROBOT, standing(replace(ROBOT, x_hind=-0.07), crank), crank, STILL).force[:, 2]
    assert (force == 0.0).sum() == 1


def test_a_robot_whose_weight_is_behind_its_feet_cannot_stand():
    with pytest.raises(
        ValueError, match=r"^With these cranks the robot tips over: its weight is not above its feet\.$"
    ):
        standing(replace(ROBOT, x_hind=0.0), np.full(4, LOWEST))


def test_what_cannot_be_is_said():
    with pytest.raises(ValueError, match="does not close"):
        standing(replace(ROBOT, l_2=0.05), np.full(4, LOWEST))
    with pytest.raises(ValueError, match="Without weight"):
        standing(replace(ROBOT, g=0.0), np.full(4, LOWEST))
