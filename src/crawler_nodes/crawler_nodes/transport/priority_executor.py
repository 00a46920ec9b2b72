"""The loop in which a node lives.

rclpy's executor asks every entity of a node, some thirty of them, before it waits for any: about a tenth of a
millisecond per message. The ring's own subscriptions are therefore waited for by themselves, and the executor gets its
turn between.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Protocol

from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.subscription import Subscription

TURN = 0.02  # s between two turns of the executor while messages flow
QUIET = 0.01  # s without messages after which it has its turn at once
AT_ONCE = 0.005  # s of messages after which an urgent service is looked for
IDLE = 0.1  # s after which a quiet node looks up; a signal is heard by then


class Chore(Protocol):
    """Work at times of its own, for which nobody sleeps: the node hears everything meanwhile."""

    @property
    def due(self) -> float:
        """When, on the steady clock (s); infinity while there is nothing to do."""
        ...

    def turn(self) -> None:
        """Do it."""
        ...


class PriorityExecutor:
    """Runs the callbacks of one node, one `turn` at a time.

    `hot` subscriptions are served at once, `urgent` services before them, a `chore` when it is due, and everything else
    every few milliseconds. `nap` is for a node that has only slow work but hears a fast topic of which just the newest
    message counts: messages gather while it sleeps.
    """

    def __init__(
        self,
        node: Node,
        hot: Sequence[Subscription] = (),
        *,
        urgent: Sequence[Any] = (),
        chore: Chore | None = None,
        nap: float = 0.0,
    ) -> None:
        self._node = node
        self._hot = list(hot)
        self._urgent = list(urgent)
        self._chore = chore
        self._nap = nap
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._due = 0.0
        if self._hot:
            handle = node.context.handle
            self._waiting = rclpy_implementation.WaitSet(len(self._hot), 0, 0, 0, len(self._urgent), 0, handle)

    def __enter__(self) -> PriorityExecutor:
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
        self._wait()
        self._serve_urgent()
        served = self._serve_hot()
        now = time.monotonic()
        if self._chore is not None and now >= self._chore.due:
            self._chore.turn()
            served = True
        if now >= self._due or not served:
            self._due = now + TURN
            self._executor.spin_once(timeout_sec=0.0)

    def _wait(self) -> None:
        waiting = self._waiting
        waiting.clear_entities()
        for subscription in self._hot:
            waiting.add_subscription(subscription.handle)
        for service in self._urgent:
            waiting.add_service(service.handle)
        quiet = QUIET if self._chore is None else min(QUIET, self._chore.due - time.monotonic())
        waiting.wait(max(0, round(quiet * 1e9)))

    def _serve_urgent(self) -> None:
        for service in self._urgent:
            request, header = service.handle.service_take_request(service.srv_type.Request)
            if header is not None:
                service.send_response(service.callback(request, service.srv_type.Response()), header)

    def _serve_hot(self) -> bool:
        """Whether there were messages. Those that never end leave the others their turn."""
        served, enough = False, time.monotonic() + AT_ONCE
        for subscription in self._hot:
            handle, kind, raw = subscription.handle, subscription.msg_type, subscription.raw
            while (taken := handle.take_message(kind, raw)) is not None:
                subscription.callback(taken[0])
                served = True
                if time.monotonic() >= enough:
                    break
        return served
