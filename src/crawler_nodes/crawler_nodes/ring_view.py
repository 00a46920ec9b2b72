"""Watching a ring from outside: its topics are read in bulk, its services called.

The ring may run here or elsewhere, in simulation at any speed or on a table. A view has a context, nodes and an
executor of its own and is spun by nobody else, so that it works in a thread of a node as well as in a command.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from crawler_nodes.run_log import RunLog, Topics
from crawler_nodes.service_call import ServiceCall, lets_move, way_back
from crawler_nodes.tap import Tap

TURN = 0.005  # s between two looks into the queues
APPEARS = 10.0  # s until a service is seen: a missed announcement is repeated after three


class RingView:
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
        self._asker = rclpy.create_node(f"{name}_asker", context=self._context, namespace=namespace)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._asker)
        self._clients: dict[tuple[str, str], Any] = {}  # by name and what for

    def __enter__(self) -> RingView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the ring."""
        self._executor.shutdown()
        self._asker.destroy_node()
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
        self._client(kind, name)

    def call(self, kind: Any, name: str, request: Any, seconds: float, appears: float = APPEARS) -> Any:
        """Call a service and return its answer, listening meanwhile. Raises TimeoutError without an answer."""
        client = self._client(kind, name)
        if once := lets_move(name, request):
            # a client of its own, made after the other and found after it
            finder = self._client(GetParameters, way_back(name), f"way back of {name}")
            self._answer(finder, GetParameters.Request(), seconds, appears)
        return self._answer(client, request, seconds, appears, once)

    def _client(self, kind: Any, name: str, use: str = "") -> Any:
        key = (name, use)
        if key not in self._clients:
            self._clients[key] = self._asker.create_client(kind, name)
        return self._clients[key]

    def _answer(self, client: Any, request: Any, seconds: float, appears: float, once: bool = False) -> Any:
        if not self.wait(client.service_is_ready, appears):
            raise TimeoutError(f"the service {client.srv_name} is not there")
        call = ServiceCall(client, request, once=once)

        def answered() -> bool:
            self._executor.spin_once(timeout_sec=0.0)
            return call.done()

        if not self.wait(answered, seconds):
            call.give_up()
            raise TimeoutError(f"the service {client.srv_name} did not answer within {seconds:g} s")
        return call.result()
