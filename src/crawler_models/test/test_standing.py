"""Equations that begin again where the robot is, and in the robot file's order."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.standing_plant import StandingPlant

DT = 0.01  # s
NO_EFFORT = np.full(2, np.nan)


@pytest.fixture
def spec() -> RobotSpec:
    return load_robot(str(Path(__file__).parents[2] / "crawler_description/robots/three_link/robot.yaml"))


def crawled(spec: RobotSpec) -> StandingPlant:
    """A robot that has crawled for one period of 4 s and is still under way."""
    plant = StandingPlant(spec)
    for k in range(1, 451):
        t = k * DT
        u = min(t, 1.0)
        grown, growing = u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u)
        phase = 0.5 * math.pi * t + np.radians([10.0, -10.0])
        away, rate = 0.3 * np.sin(phase), 0.15 * math.pi * np.cos(phase)
        plant.advance(math.radians(110.0) + grown * away, grown * rate + growing * away, NO_EFFORT, DT)
    return plant


def test_a_robot_on_its_feet_again_is_still_and_where_it_was(spec: RobotSpec) -> None:
    plant = crawled(spec)
    before, (angles, rates, _) = plant.base(), plant.joints()
    assert abs(before.position[0]) > 1e-3
    assert np.abs(rates).min() > 0.05
    plant.stand()
    np.testing.assert_allclose(plant.base().position, before.position, atol=1e-12)
    assert plant.base().linear == (0.0, 0.0, 0.0)
    np.testing.assert_array_equal(plant.joints()[0], angles)
    assert not plant.joints()[1].any()
    plant.stand(np.radians([100.0, 110.0]))
    assert plant.base().position[0] == pytest.approx(before.position[0], abs=1e-12)
    np.testing.assert_allclose(plant.joints()[0], np.radians([100.0, 110.0]))


def test_a_pose_that_does_not_stand_is_refused_and_changes_nothing(spec: RobotSpec) -> None:
    plant = crawled(spec)
    before = plant.base(), plant.contacts()
    with pytest.raises(ValueError, match="does not stand"):
        plant.stand(np.array([-1.0, -1.0]))
    assert (plant.base(), plant.contacts()) == before


def test_joints_and_setpoints_are_in_the_order_of_the_robot_file(spec: RobotSpec) -> None:
    turned = StandingPlant(dataclasses.replace(spec, joints=spec.joints[::-1]))
    plant = StandingPlant(spec)
    goal = np.radians([112.0, 108.0])
    plant.advance(goal, np.zeros(2), NO_EFFORT, 0.5)
    turned.advance(goal[::-1], np.zeros(2), NO_EFFORT, 0.5)
    assert turned.base() == plant.base()
    for one, other in zip(turned.joints(), plant.joints(), strict=True):
        np.testing.assert_array_equal(one, other[::-1])
