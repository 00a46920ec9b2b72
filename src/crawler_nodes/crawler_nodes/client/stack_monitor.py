"""Monitoring of a running stack for clients that poll: its topics are read in bulk, its services called.

The stack may run in this process or elsewhere, in simulation at any speed or on motors. A monitor has its own context,
nodes and executor. It works in a thread of a node as well as in a command.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from crawler_nodes.client.service_caller import ServiceCaller
from crawler_nodes.client.stack_client import DISCOVERY_TIMEOUT_S, POLL_PERIOD_S
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.transport.tap import Tap, TopicCallbacks


class StackMonitor:
    """Reads topics, and fills `log` if there is one, while `drain`, `wait` or `call` run.

    With `joints` the log reads joint_states, which makes it one of the readers that a backend waits for.
    """

    def __init__(
        self,
        topics: TopicCallbacks | None = None,
        *,
        log: RunLog | None = None,
        joints: bool = True,
        namespace: str = "",
        name: str = "watch",
        check: Callable[[], None] = lambda: None,  # raises where further monitoring makes no sense
    ) -> None:
        self.log = log
        self._check = check
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node(name, context=self._context, namespace=namespace)
        self._tap = Tap(self.node, [*(topics or []), *(log.topics(joints) if log is not None else [])])
        # clients have a node of their own, because the tapped one must not be spun
        self._client_node = rclpy.create_node(f"{name}_client", context=self._context, namespace=namespace)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._client_node)
        self._caller = ServiceCaller(self._client_node.create_client, lambda: self._executor.spin_once(timeout_sec=0.0))

    def __enter__(self) -> StackMonitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._executor.shutdown()
        self._client_node.destroy_node()
        self.node.destroy_node()
        self._context.try_shutdown()

    def drain(self) -> None:
        """Read all waiting messages."""
        self._tap.drain()

    def spin_once(self) -> None:
        """Read all waiting messages, and wait a little."""
        self.drain()
        self._check()
        time.sleep(POLL_PERIOD_S)

    def wait(self, until: Callable[[], Any], seconds: float) -> bool:
        """Monitor until `until` holds; return False where it does not within `seconds` of wall time."""
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                return False
            self.spin_once()
        return True

    def discover(self, kind: Any, name: str) -> None:
        """Begin to discover a service that `call` will need."""
        self._caller.discover(kind, name)

    def call(self, kind: Any, name: str, request: Any, seconds: float, discovery_s: float = DISCOVERY_TIMEOUT_S) -> Any:
        """Call a service and return its response, monitoring meanwhile. Raises TimeoutError without a response."""
        pending = self._caller.call(kind, name, request, timeout_s=seconds, discovery_s=discovery_s)
        for _ in pending:
            self.spin_once()
        return pending.response
