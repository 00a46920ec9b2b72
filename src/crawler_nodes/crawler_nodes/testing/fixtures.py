"""The pytest fixtures for the tests of any package: its conftest.py imports those that it uses."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_nodes.testing.isolated_nodes import IsolatedNodes


@pytest.fixture
def crawler() -> RobotSpec:
    """The default robot, as installed."""
    return load_robot(default_robot())


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[IsolatedNodes]:
    """Nodes in a ROS context of their own."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    graph = IsolatedNodes()
    yield graph
    graph.close()


@pytest.fixture(autouse=True, scope="session")
def default_hangup() -> Iterator[None]:
    """Let SIGHUP end the processes of tests as it does in a terminal, also where nohup started the tests."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
