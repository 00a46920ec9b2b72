"""A small robot: two limited joints, one that turns for ever, one passive; and how hypothesis looks for examples."""

import pytest
from hypothesis import settings
from toy_robot import toy

from crawler_core.robot.robot_spec import RobotSpec

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture
def spec() -> RobotSpec:
    return toy()
