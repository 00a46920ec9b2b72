"""The robot of the tests, and nodes in a ROS context of their own."""

import dataclasses
import math
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from hypothesis import settings
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from crawler_core.robot import RobotSpec, load_robot

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


class Graph:
    """Nodes that share an executor, a domain and a namespace with nobody else."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, args=[], domain_id=1 + os.getpid() % 100)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.namespace = f"test_{os.getpid()}"
        self.nodes: list[Node] = []

    def add(self, factory: Callable[..., Any], **parameters: Any) -> Any:
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = factory(context=self.context, namespace=self.namespace, parameter_overrides=overrides)
        self.executor.add_node(node)
        self.nodes.append(node)
        return node

    def spin_until(self, condition: Callable[[], Any], seconds: float = 20.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition was not met in time"
            self.executor.spin_once(timeout_sec=0.05)

    def close(self) -> None:
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    graph = Graph()
    yield graph
    graph.close()
