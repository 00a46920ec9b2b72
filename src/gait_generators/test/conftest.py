"""The robot of the tests, and nodes in a ROS context of their own."""

import dataclasses
import math
from collections.abc import Iterator

import pytest
from hypothesis import settings

from crawler_core.robot import RobotSpec, load_robot
from crawler_nodes.private_graph import PrivateGraph

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture
def crawler() -> RobotSpec:
    return load_robot("three_link")


@pytest.fixture
def cranks(crawler: RobotSpec) -> RobotSpec:
    """A robot with two joints that turn for ever."""
    joints = tuple(
        dataclasses.replace(joint, continuous=True, lower=-math.inf, upper=math.inf) for joint in crawler.joints
    )
    return dataclasses.replace(crawler, joints=joints)


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateGraph]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    graph = PrivateGraph()
    yield graph
    graph.close()
