"""Publishing /diagnostics: twice a second, and at once when something changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

OK, WARN, ERROR, STALE = (bytes([level]) for level in range(4))
PERIOD = 0.5  # s
SPAN = 1.0  # s of wall time over which a rate is measured, at least
FRESH = 5.0  # s that an event is told for after the last one of its kind


class DiagnosticsReporter:
    """The diagnostics of one node: `set` says how things are, from any thread.

    Before each word that is due `refresh` is called, so that rates, ages and counters in it are of the present.
    """

    def __init__(self, node: Node, hardware_id: str = "", refresh: Callable[[], None] = lambda: None) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, "diagnostics", 10)
        self._status = DiagnosticStatus(name=node.get_fully_qualified_name().lstrip("/"), hardware_id=hardware_id)
        self._said: tuple[bytes, str] = (OK, "")
        self._last = 0.0
        self._refresh = refresh
        self._lock = threading.RLock()
        # a steady clock: diagnostics go on while the simulated time stands still
        self._timer = node.create_timer(PERIOD, self._speak, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def set(self, level: bytes, message: str, values: Mapping[str, object] | None = None, *, now: bool = False) -> None:
        """Say how things are. A change of level or message goes out at once, but not more than ten times a second.

        With `now` it goes out whatever has changed.
        """
        with self._lock:
            changed = (level, message) != self._said
            self._said = (level, message)
            self._status.level = level
            self._status.message = message
            self._status.values = [KeyValue(key=key, value=_text(value)) for key, value in (values or {}).items()]
            if now or (changed and time.monotonic() - self._last > 0.1):
                self.publish()

    def publish(self) -> None:
        """Send the present word."""
        with self._lock:
            self._last = time.monotonic()
            message = DiagnosticArray(status=[self._status])
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._publisher.publish(message)

    def _speak(self) -> None:
        self._refresh()
        self.publish()


class Recent:
    """What has happened lately, by kind: each is told until nothing new of it has come for `FRESH` seconds."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._told: dict[str, tuple[float, str]] = {}

    def note(self, kind: str, count: int, text: str) -> None:
        """How often it has happened in all, and the latest sentence on it."""
        if count > self._counts.get(kind, 0):
            self._counts[kind] = count
            self._told[kind] = (time.monotonic(), text)

    @property
    def text(self) -> str:
        """Everything that is fresh, the latest first; empty where nothing is."""
        now = time.monotonic()
        fresh = sorted((at, text) for at, text in list(self._told.values()) if now - at <= FRESH)
        return "; ".join(text.rstrip(".") for _, text in reversed(fresh))


class Rate:
    """How often something happens, by a counter that is looked at now and then."""

    def __init__(self) -> None:
        self.value = 0.0  # a second, over the last `SPAN` or a little more
        self._since = (time.monotonic(), 0)

    def measure(self, count: int) -> None:
        """How often it has happened in all."""
        now, (since, before) = time.monotonic(), self._since
        if now - since >= SPAN:
            self.value = (count - before) / (now - since)
            self._since = (now, count)


def age(at: float) -> float | str:
    """Seconds since a time on the steady clock; empty where it has not come, which is 0."""
    return time.monotonic() - at if at else ""


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
