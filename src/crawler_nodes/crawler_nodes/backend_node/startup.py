"""The start of a backend's time: once its subscribers are there, and no other backend is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer

from crawler_nodes.backend_node.publishers import BackendPublishers
from crawler_nodes.topics import JOINT_STATES
from crawler_nodes.transport.duplicate_stack_check import duplicate_stack_error, stack_nodes
from crawler_nodes.transport.message_source import publisher_nodes

if TYPE_CHECKING:
    from crawler_nodes.backend_node.node import BackendNode

START_TIMEOUT_S = 15.0  # of wall time, for the subscribers, and then for a first command until the torque goes off
DISCOVERY_S = 0.2  # after the last subscriber, until all nodes have discovered each other
DUPLICATE_CHECK_S = 1.0  # of running in which a backend gives way to another of its name, seen late on a busy machine
POLL_PERIOD_S = 0.01
DUPLICATE_POLL_PERIOD_S = 0.1


class BackendStartup:
    """Waits for the subscribers of one backend, starts its ticks, and checks for a second backend at first."""

    def __init__(self, node: BackendNode, publishers: BackendPublishers, start_ticks: Callable[[], None]) -> None:
        self._node = node
        self._publishers = publishers
        self._start_ticks = start_ticks
        self._timer: Timer | None = None

    def begin(self) -> None:
        self._timeout_at = time.monotonic() + START_TIMEOUT_S
        self._ready_at: float | None = None
        self._poll(POLL_PERIOD_S, self._wait_for_subscribers)

    def cancel(self) -> None:
        """Stop waiting and checking."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _poll(self, period_s: float, callback: Callable[[], None]) -> None:
        self._timer = self._node.create_timer(period_s, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _wait_for_subscribers(self) -> None:
        now, expected = time.monotonic(), self._node.settings.readers
        subscribers = self._publishers.state_subscribers
        if subscribers < expected:
            if now < self._timeout_at:
                return
            self._node.get_logger().warning(
                f"only {subscribers} of {expected} subscribers of joint_states came: starting without the others"
            )
        elif self._ready_at is None:
            self._ready_at = now + DISCOVERY_S
        if self._ready_at is not None and now < self._ready_at:
            return
        self.cancel()
        self._raise_if_duplicate()
        self._start_ticks()
        self._started_at = time.monotonic()
        self._poll(DUPLICATE_POLL_PERIOD_S, self._check_for_duplicate)

    def _check_for_duplicate(self) -> None:
        """End where another backend runs. Once commanded, this one was first, unless the other has the same name."""
        if not self._node.is_commanded:
            self._raise_if_duplicate()
        elif time.monotonic() - self._started_at > DUPLICATE_CHECK_S:
            self.cancel()
        elif publisher_nodes(self._node, JOINT_STATES).count(self._node.get_fully_qualified_name()) > 1:
            self._raise_if_duplicate()

    def _raise_if_duplicate(self) -> None:
        """Raise UserError where a second node publishes states: it would break both stacks."""
        if len(publisher_nodes(self._node, JOINT_STATES)) > 1:
            remedy = "start this one in another namespace (--namespace NAME, namespace:=NAME)"
            raise duplicate_stack_error(stack_nodes(self._node), remedy)
