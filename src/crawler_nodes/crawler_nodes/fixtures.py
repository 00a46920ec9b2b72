"""pytest's fixtures for the tests of any package: its conftest.py imports those that it uses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crawler_core.robot import RobotSpec, default_robot, load_robot
from crawler_nodes.private_graph import PrivateGraph


@pytest.fixture
def crawler() -> RobotSpec:
    """The default robot, as installed."""
    return load_robot(default_robot())


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateGraph]:
    """Nodes in a ROS context of their own."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    graph = PrivateGraph()
    yield graph
    graph.close()
