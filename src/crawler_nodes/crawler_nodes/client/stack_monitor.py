"""Watching a ring from outside: its topics are read in bulk, its services called.

The ring may run here or elsewhere, in simulation at any speed or on a table. A view has a context, nodes and an
executor of its own and is spun by nobody else, so that it works in a thread of a node as well as in a command.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from crawler_nodes.client.service_caller import ServiceCaller
from crawler_nodes.run_log.log import RunLog, Topics
from crawler_nodes.transport.tap import Tap

TURN = 0.005  # s between two looks into the queues
APPEARS = 10.0  # s until a service is seen: a missed announcement is repeated after three


class StackMonitor:
    """Reads topics, and fills `log` where there is one, while `drain`, `wait` or `call` run.

    `joints`: whether the log hears joint_states, which makes it one of the readers that a backend waits for.
    """

    def __init__(
        self,
        topics: Topics | None = None,
        *,
        log: RunLog | None = None,
        joints: bool = True,
        namespace: str = "",
        name: str = "watch",
        check: Callable[[], None] = lambda: None,  # raises where watching on makes no sense
    ) -> None:
        self.log = log
        self._check = check
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node(name, context=self._context, namespace=namespace)
        self._tap = Tap(self.node, [*(topics or []), *(log.topics(joints) if log is not None else [])])
        # clients live on a node of their own: the tapped one must not be spun
        self._asking = rclpy.create_node(f"{name}_asker", context=self._context, namespace=namespace)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._asking)
        self._asker = ServiceCaller(self._asking.create_client, lambda: self._executor.spin_once(timeout_sec=0.0))

    def __enter__(self) -> StackMonitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the ring."""
        self._executor.shutdown()
        self._asking.destroy_node()
        self.node.destroy_node()
        self._context.try_shutdown()

    def drain(self) -> None:
        """Take what has come."""
        self._tap.drain()

    def turn(self) -> None:
        """Take what has come, and wait a little."""
        self.drain()
        self._check()
        time.sleep(TURN)

    def wait(self, until: Callable[[], Any], seconds: float) -> bool:
        """Listen until `until` holds; False where it does not within `seconds` of wall time."""
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                return False
            self.turn()
        return True

    def appear(self, kind: Any, name: str) -> None:
        """Begin to look for a service that `call` will ask for."""
        self._asker.appear(kind, name)

    def call(self, kind: Any, name: str, request: Any, seconds: float, appears: float = APPEARS) -> Any:
        """Call a service and return its answer, listening meanwhile. Raises TimeoutError without an answer."""
        question = self._asker.ask(kind, name, request, seconds=seconds, appears=appears)
        for _ in question:
            self.turn()
        return question.answer
