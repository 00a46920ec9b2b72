"""Diagnostics of a node: published twice a second, and at once when something changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from crawler_nodes.topics import DIAGNOSTICS, create_publisher

OK, WARN, ERROR, STALE = (bytes([level]) for level in range(4))
PUBLISH_PERIOD_S = 0.5
MIN_PUBLISH_INTERVAL_S = 0.1  # between two changes that are published at once
RATE_WINDOW_S = 1.0  # of wall time over which a rate is measured, at least
EVENT_DURATION_S = 5.0  # that an event stays in the status after the last one of its kind


class DiagnosticsReporter:
    """The diagnostics of one node; `set` may be called from any thread.

    `refresh` is called before each periodic message, so that its rates, ages and counters are current.
    """

    def __init__(self, node: Node, hardware_id: str = "", refresh: Callable[[], None] = lambda: None) -> None:
        self._node = node
        self._publisher = create_publisher(node, DIAGNOSTICS)
        self._status = DiagnosticStatus(name=node.get_fully_qualified_name().lstrip("/"), hardware_id=hardware_id)
        self._latest: tuple[bytes, str] = (OK, "")
        self._published_at = 0.0  # s on the steady clock
        self._refresh = refresh
        self._lock = threading.RLock()
        # a steady clock: diagnostics go on while the simulated time stands still
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(PUBLISH_PERIOD_S, self._publish_periodically, clock=steady)

    def set(self, level: bytes, message: str, values: Mapping[str, object] | None = None, *, now: bool = False) -> None:
        """Set the status. A new level or message is published at once, ten times a second at most.

        With `now` it is published in any case.
        """
        with self._lock:
            changed = (level, message) != self._latest
            self._latest = (level, message)
            self._status.level = level
            self._status.message = message
            self._status.values = [KeyValue(key=key, value=_text(value)) for key, value in (values or {}).items()]
            if now or (changed and time.monotonic() - self._published_at > MIN_PUBLISH_INTERVAL_S):
                self.publish()

    def publish(self) -> None:
        with self._lock:
            self._published_at = time.monotonic()
            message = DiagnosticArray(status=[self._status])
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._publisher.publish(message)

    def _publish_periodically(self) -> None:
        self._refresh()
        self.publish()


class RecentEvents:
    """The latest event of each kind; it stays until nothing of its kind has come for `EVENT_DURATION_S`."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._latest: dict[str, tuple[float, str]] = {}

    def record(self, kind: str, count: int, text: str) -> None:
        """Record how often events of a kind have happened in all, with a sentence on the latest."""
        if count > self._counts.get(kind, 0):
            self._counts[kind] = count
            self._latest[kind] = (time.monotonic(), text)

    @property
    def text(self) -> str:
        """All recent events, the latest first; empty where there is none."""
        now = time.monotonic()
        recent = sorted((at, text) for at, text in list(self._latest.values()) if now - at <= EVENT_DURATION_S)
        return "; ".join(text.rstrip(".") for _, text in reversed(recent))


class EventRate:
    """The rate of events, from a counter that is polled."""

    def __init__(self) -> None:
        self.value = 0.0  # per second, over the last `RATE_WINDOW_S` or a little more
        self._since = (time.monotonic(), 0)

    def update(self, count: int) -> None:
        """Update with the number of events in all."""
        now, (since, before) = time.monotonic(), self._since
        if now - since >= RATE_WINDOW_S:
            self.value = (count - before) / (now - since)
            self._since = (now, count)


def age(at: float) -> float | str:
    """Return the seconds since a time on the steady clock; empty for 0, which stands for never."""
    return time.monotonic() - at if at else ""


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
