"""What the tests share, and how hypothesis looks for examples."""

import dataclasses
import math

import pytest
from hypothesis import settings

from crawler_core.robot.robot_spec import RobotSpec
from crawler_nodes.testing.fixtures import crawler, graph

__all__ = ["cranks", "crawler", "graph"]

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture
def cranks(crawler: RobotSpec) -> RobotSpec:
    """A robot with two joints that turn for ever."""
    joints = tuple(
        dataclasses.replace(joint, continuous=True, lower=-math.inf, upper=math.inf) for joint in crawler.joints
    )
    return dataclasses.replace(crawler, joints=joints)
