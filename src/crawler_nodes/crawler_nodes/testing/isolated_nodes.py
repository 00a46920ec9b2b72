"""Nodes for the tests of any package, in a ROS context, a domain and a namespace of their own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from crawler_nodes.client.service_caller import ServiceCaller, ServiceUnavailable
from crawler_nodes.testing.free_domain_id import free_domain_id

REDISCOVERY_S = 5.0  # that a client looks for its service before another client is created
SERVICE_TIMEOUT_S = 60.0


class IsolatedNodes:
    """Nodes that share an executor, a domain and a namespace with no other process."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, args=[], domain_id=free_domain_id())
        self.executor = SingleThreadedExecutor(context=self.context)
        self.namespace = f"test_{os.getpid()}"
        self.nodes: list[Node] = []

    def add(self, factory: Callable[..., Any], **parameters: Any) -> Any:
        """Make a node by `factory`, with these parameters."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = factory(context=self.context, namespace=self.namespace, parameter_overrides=overrides)
        self.executor.add_node(node)
        self.nodes.append(node)
        return node

    def spin_once(self) -> None:
        self.executor.spin_once(timeout_sec=0.05)

    def spin_until(self, condition: Callable[[], Any], seconds: float = 60.0) -> None:
        """Run callbacks until `condition` holds; AssertionError where it does not in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition was not met in time"
            self.spin_once()

    def call(self, client_node: Node, kind: Any, name: str, request: Any) -> Any:
        end = time.monotonic() + SERVICE_TIMEOUT_S
        while True:
            caller = ServiceCaller(client_node.create_client, self.spin_once)
            pending = caller.call(kind, name, request, timeout_s=SERVICE_TIMEOUT_S, discovery_s=REDISCOVERY_S)
            try:
                for _ in pending:
                    self.spin_once()
                return pending.response
            except ServiceUnavailable:
                assert time.monotonic() < end, f"the service {name} was not discovered in time"

    def close(self) -> None:
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        self.context.try_shutdown()
