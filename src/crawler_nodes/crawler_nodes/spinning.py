"""The loop in which a node lives.

rclpy's executor asks every entity of a node, some thirty of them, before it waits for any: about a tenth of a
millisecond per message. The ring's own subscriptions are therefore waited for by themselves, and the executor gets its
turn between.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.subscription import Subscription

TURN = 0.02  # s between two turns of the executor while messages flow
QUIET = 0.01  # s without messages after which it has its turn at once
IDLE = 0.1  # s after which a quiet node looks up; a signal is heard by then


class Spinner:
    """Runs the callbacks of one node, one `turn` at a time.

    `hot` subscriptions are served at once, everything else every few milliseconds. `nap` is for a node that has only
    slow work but hears a fast topic of which just the newest message counts: messages gather while it sleeps.
    """

    def __init__(self, node: Node, hot: Sequence[Subscription] = (), nap: float = 0.0) -> None:
        self._node = node
        self._hot = list(hot)
        self._nap = nap
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._due = 0.0
        if self._hot:
            handle = node.context.handle
            self._waiting = rclpy_implementation.WaitSet(len(self._hot), 0, 0, 0, 0, 0, handle)

    def __enter__(self) -> Spinner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown()

    def turn(self) -> None:
        """Wait for work and do it; returns after some milliseconds at the latest, a tenth of a second when idle."""
        if not self._hot:
            self._executor.spin_once(timeout_sec=IDLE)
            if self._nap:
                time.sleep(self._nap)
            return
        waiting = self._waiting
        waiting.clear_entities()
        for subscription in self._hot:
            waiting.add_subscription(subscription.handle)
        waiting.wait(round(QUIET * 1e9))
        served = False
        for subscription in self._hot:
            while (taken := subscription.handle.take_message(subscription.msg_type, False)) is not None:
                subscription.callback(taken[0])
                served = True
                if time.monotonic() >= self._due:
                    break  # a callback that waits for its time always finds the next message: the others must be heard
        now = time.monotonic()
        if now >= self._due or not served:
            self._due = now + TURN
            self._executor.spin_once(timeout_sec=0.0)
