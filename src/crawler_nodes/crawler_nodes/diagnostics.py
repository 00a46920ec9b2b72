"""Publishing /diagnostics: once a second, and at once when something changes."""

from __future__ import annotations

import time
from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

OK, WARN, ERROR, STALE = (bytes([level]) for level in range(4))


class DiagnosticsReporter:
    """The diagnostics of one node: `set` says how things are; the newest word is repeated every second."""

    def __init__(self, node: Node, hardware_id: str = "") -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, "diagnostics", 10)
        self._status = DiagnosticStatus(name=node.get_fully_qualified_name().lstrip("/"), hardware_id=hardware_id)
        self._said: tuple[bytes, str] = (OK, "")
        self._last = 0.0
        # a steady clock: diagnostics go on while the simulated time stands still
        self._timer = node.create_timer(1.0, self.publish, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def set(self, level: bytes, message: str, values: Mapping[str, object] | None = None, *, now: bool = False) -> None:
        """Say how things are. A change of level or message goes out at once, but not more than ten times a second.

        With `now` it goes out whatever has changed.
        """
        changed = (level, message) != self._said
        self._said = (level, message)
        self._status.level = level
        self._status.message = message
        self._status.values = [KeyValue(key=key, value=_text(value)) for key, value in (values or {}).items()]
        if now or (changed and time.monotonic() - self._last > 0.1):
            self.publish()

    def publish(self) -> None:
        """Send the present word."""
        self._last = time.monotonic()
        message = DiagnosticArray(status=[self._status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
