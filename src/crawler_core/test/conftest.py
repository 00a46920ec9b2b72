"""A small robot for the tests: two limited joints, one that turns for ever, one passive."""

import pytest
from toy_robot import toy

from crawler_core.robot import RobotSpec


@pytest.fixture
def spec() -> RobotSpec:
    return toy()
