"""Warnings in a node's log about messages that it refuses: once for each reason, however many come."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from rclpy.node import Node

QUIET_S = 5.0  # without a message of its kind, after which a reason is logged again
MAX_REASONS = 20  # within that time: the reasons of a flood are in the diagnostics
_VARYING = re.compile(r"'[^']*'|-?\d[\d.]*(?:e[+-]?\d+)?|\bnan\b|-?\binf\b")  # numbers and quotations in a sentence


class RejectionLog:
    """Logs why a node refuses messages. Sentences that differ in their numbers and quotations have one reason."""

    def __init__(self, node: Node, clock: Callable[[], float] = time.monotonic) -> None:
        self._node = node
        self._clock = clock
        self._latest: dict[str, float] = {}  # s, by reason

    def warn(self, sentence: str) -> None:
        """Log a sentence as a warning, unless its reason has been logged a moment ago."""
        now, reason = self._clock(), _VARYING.sub("*", sentence)
        is_new = now - self._latest.get(reason, -QUIET_S) >= QUIET_S
        if len(self._latest) >= MAX_REASONS:
            self._latest = {one: at for one, at in self._latest.items() if now - at < QUIET_S}
            if reason not in self._latest and len(self._latest) >= MAX_REASONS:
                return
        self._latest[reason] = now
        if is_new:
            self._node.get_logger().warning(sentence)
