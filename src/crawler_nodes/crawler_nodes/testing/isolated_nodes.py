"""Nodes among themselves, for the tests of any package: a ROS context, a domain and a namespace of their own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from crawler_nodes.client.service_call import ServiceCall
from crawler_nodes.testing.free_domain_id import free_domain_id

AGAIN = 5.0  # s that a client looks for its service before another is made


class IsolatedNodes:
    """Nodes that share an executor, a domain and a namespace with nobody else."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, args=[], domain_id=free_domain_id())
        self.executor = SingleThreadedExecutor(context=self.context)
        self.namespace = f"test_{os.getpid()}"
        self.nodes: list[Node] = []

    def add(self, factory: Callable[..., Any], **parameters: Any) -> Any:
        """A node from `factory`, with these parameters."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = factory(context=self.context, namespace=self.namespace, parameter_overrides=overrides)
        self.executor.add_node(node)
        self.nodes.append(node)
        return node

    def spin_until(self, condition: Callable[[], Any], seconds: float = 60.0) -> None:
        """Run callbacks until `condition`; AssertionError when it does not come in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition was not met in time"
            self.executor.spin_once(timeout_sec=0.05)

    def call(self, asker: Node, kind: Any, name: str, request: Any) -> Any:
        """The answer of a service to one of the nodes. A client that does not find it for AGAIN s is made anew."""
        clients: list[Any] = []
        looked = 0.0

        def found() -> bool:
            nonlocal looked
            if not clients or time.monotonic() > looked + AGAIN:
                looked = time.monotonic()
                clients.append(asker.create_client(kind, name))
            return any(client.service_is_ready() for client in clients)

        self.spin_until(found)
        call = ServiceCall(next(client for client in clients if client.service_is_ready()), request)
        self.spin_until(call.done)
        return call.result()

    def close(self) -> None:
        """End everything."""
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        self.context.try_shutdown()
