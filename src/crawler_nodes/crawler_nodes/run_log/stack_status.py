"""The status of a stack's nodes, from their diagnostics."""

from __future__ import annotations

import contextlib
import math
from time import monotonic

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

STOPPED_MOTIONS = ("e-stopped", "faulted", "relaxed")  # motion states that do not end by themselves


class StackStatus:
    """The latest status of each node, and the stops of the robot."""

    def __init__(self) -> None:
        self.backend: dict[str, str] = {}  # the backend's latest diagnostics
        self.period = math.nan  # s, of the gait in force; it may have been changed during the run,
        self.changed_ns = 0  # at this time; 0: it was not
        self.warnings: dict[str, str] = {}  # messages of the nodes that are not OK
        self.stops: dict[str, str] = {}  # motion states in which the robot stopped, with the first message
        self.reported_at: dict[str, float] = {}  # s on the steady clock, of each node's latest status

    @property
    def motion(self) -> str:
        """The backend's motion state, such as active; empty before its first status."""
        return self.backend.get("motion", "")

    def update(self, message: DiagnosticArray) -> None:
        for status in message.status:
            name = status.name.rsplit("/", 1)[-1]
            self.reported_at[name] = monotonic()
            if status.level == DiagnosticStatus.OK:
                self.warnings.pop(name, None)
            else:
                self.warnings[name] = status.message
            values = {entry.key: entry.value for entry in status.values}
            if name == "gait":
                with contextlib.suppress(ValueError):  # a foreign node may use this name
                    self.period = float(values.get("period", "nan"))
                    self.changed_ns = int(values.get("changed_ns", "0"))
            elif name == "backend":
                self._update_backend(values, status.message)

    def _update_backend(self, values: dict[str, str], message: str) -> None:
        was_moving = self.motion in ("active", "holding")
        self.backend = values
        is_disabled = was_moving and self.motion == "disabled" and values.get("finished") != "True"
        if self.motion in STOPPED_MOTIONS or is_disabled:
            self.stops.setdefault(self.motion, message)
