"""Waiting in lockstep: for the subscribers of joint_commands at the start, and for the inputs of every tick."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from hybrid_controller.node.controller_settings import ControllerSettings

READERS_TIMEOUT_S = 10.0  # of wall time until the first command is sent, even if readers are missing


class LockstepWait:
    """Decides whether a state still waits for its command.

    After `reference_timeout` without the inputs of a tick the controller continues without them, until they arrive
    again.
    """

    def __init__(
        self,
        node: Node,
        settings: ControllerSettings,
        count_readers: Callable[[], int],
        on_timeout: Callable[[], None],
    ) -> None:
        self.timed_out = False
        self._node = node
        self._missing_readers = settings.readers
        self._readers_deadline = math.inf  # s on the steady clock
        self._count_readers = count_readers
        self._on_timeout = on_timeout
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(settings.reference_timeout, self.time_out, clock=steady)
        self._timer.cancel()
        self._timer_runs = False

    def must_wait(self, inputs_complete: bool, may_time_out: bool) -> bool:
        """Return True if the state in hand is not to be answered yet."""
        if not self._readers_are_there():
            return True  # the backend sends its state again
        if inputs_complete:
            if self._timer_runs:
                self._cancel_timer()
            self.timed_out = False
        elif not self.timed_out:
            if may_time_out and not self._timer_runs:
                self._timer.reset()
                self._timer_runs = True
            return True
        return False

    def time_out(self) -> None:
        """Continue without the missing inputs."""
        self._cancel_timer()
        self.timed_out = True
        self._on_timeout()

    def _cancel_timer(self) -> None:
        self._timer.cancel()
        self._timer_runs = False

    def _readers_are_there(self) -> bool:
        """Return True once the readers that must miss no command are subscribed, or did not come in time."""
        if self._missing_readers:
            now = time.monotonic()
            self._readers_deadline = min(self._readers_deadline, now + READERS_TIMEOUT_S)
            count = self._count_readers()
            if count >= self._missing_readers:
                self._missing_readers = 0
            elif now > self._readers_deadline:
                self._node.get_logger().warning(
                    f"joint_commands has {count} of {self._missing_readers} subscribers after "
                    f"{READERS_TIMEOUT_S:g} s: starting without the missing ones"
                )
                self._missing_readers = 0
        return not self._missing_readers
