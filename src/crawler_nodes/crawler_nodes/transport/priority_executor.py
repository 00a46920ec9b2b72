"""The executor of a node with fast topics.

rclpy's executor asks every entity of a node, some thirty of them, before it waits for any: about a tenth of a
millisecond per message. `PriorityExecutor` therefore waits for the control loop's own subscriptions by themselves and
runs rclpy's executor in between.
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

EXECUTOR_PERIOD_S = 0.02  # between two runs of rclpy's executor while messages flow
QUIET_S = 0.01  # without messages after which it runs at once
MAX_BATCH_S = 0.005  # of messages after which the priority services are served again
IDLE_TIMEOUT_S = 0.1  # after which an idle node checks whether it shall end


class PeriodicTask(Protocol):
    """Work that is due at certain times, for which the executor does not block."""

    @property
    def due(self) -> float:
        """When it may run, s on the steady clock; infinity while there is nothing to do."""
        ...

    def run_due(self) -> None:
        """Do it, if it is due."""
        ...


class PriorityExecutor:
    """Runs the callbacks of one node, one `spin_once` at a time.

    Priority subscriptions are served at once, priority services before them, a periodic task when it is due, and
    everything else every few milliseconds. With a `batch_period` the node sleeps between its turns, for slow work on
    the latest message of a fast topic.
    """

    def __init__(
        self,
        node: Node,
        priority_subscriptions: Sequence[Subscription] = (),
        *,
        priority_services: Sequence[Any] = (),
        periodic_task: PeriodicTask | None = None,
        batch_period: float = 0.0,
    ) -> None:
        self._subscriptions = list(priority_subscriptions)
        self._services = list(priority_services)
        self._task = periodic_task
        self._batch_period = batch_period
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._executor_due = 0.0
        if self._subscriptions:
            counts = (len(self._subscriptions), 0, 0, 0, len(self._services), 0)
            self._wait_set = rclpy_implementation.WaitSet(*counts, node.context.handle)

    def __enter__(self) -> PriorityExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown()

    def spin_once(self) -> None:
        """Wait for work and do it. Returns after some milliseconds at the latest, or 0.1 s when idle."""
        if not self._subscriptions:
            self._executor.spin_once(timeout_sec=IDLE_TIMEOUT_S)
            if self._batch_period:
                time.sleep(self._batch_period)
            return
        self._wait()
        self._serve_priority_services()
        is_busy = self._serve_priority_subscriptions()
        now = time.monotonic()
        if self._task is not None and now >= self._task.due:
            self._task.run_due()
            is_busy = True
        if now >= self._executor_due or not is_busy:
            self._executor_due = now + EXECUTOR_PERIOD_S
            self._executor.spin_once(timeout_sec=0.0)

    def _wait(self) -> None:
        wait_set = self._wait_set
        wait_set.clear_entities()
        for subscription in self._subscriptions:
            wait_set.add_subscription(subscription.handle)
        for service in self._services:
            wait_set.add_service(service.handle)
        timeout = QUIET_S if self._task is None else min(QUIET_S, self._task.due - time.monotonic())
        wait_set.wait(max(0, round(timeout * 1e9)))

    def _serve_priority_services(self) -> None:
        for service in self._services:
            request, header = service.handle.service_take_request(service.srv_type.Request)
            if header is not None:
                service.send_response(service.callback(request, service.srv_type.Response()), header)

    def _serve_priority_subscriptions(self) -> bool:
        """Return whether there were messages. A topic that never ends leaves the others their turn."""
        had_messages, end = False, time.monotonic() + MAX_BATCH_S
        for subscription in self._subscriptions:
            handle, kind, raw = subscription.handle, subscription.msg_type, subscription.raw
            with_info = subscription._callback_type is Subscription.CallbackType.WithMessageInfo
            while (taken := handle.take_message(kind, raw)) is not None:
                subscription.callback(*(taken if with_info else taken[:1]))
                had_messages = True
                if time.monotonic() >= end:
                    break
        return had_messages
