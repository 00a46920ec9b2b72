"""The diagnostics of a backend node; docs/architecture.md lists the keys."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from crawler_core.loop.steady_wall_clock import SteadyWallClock
from crawler_core.safety.supervisor import LATCHED_STATES
from crawler_nodes.backend_node.publishers import BackendPublishers
from crawler_nodes.diagnostics import (
    ERROR,
    MIN_PUBLISH_INTERVAL_S,
    OK,
    WARN,
    DiagnosticsReporter,
    EventRate,
    RecentEvents,
    age,
)
from crawler_nodes.topics import JOINT_COMMANDS, JOINT_STATES
from crawler_nodes.transport.publisher_monitor import PublisherMonitor
from crawler_nodes.transport.source_arbiter import SourceArbiter

if TYPE_CHECKING:
    from crawler_nodes.backend_node.node import BackendNode

MIN_CLOCK_STEP_S = 0.01  # by which the system's clock is set, to be reported


class BackendReport:
    """Reports the state of one backend node in diagnostics and motion_state."""

    def __init__(self, node: BackendNode, commander: SourceArbiter, publishers: BackendPublishers) -> None:
        self._node = node
        self._commander = commander
        self._publishers = publishers
        self._published_motion = ""
        self._recent = RecentEvents()
        self._sensor_warnings: dict[str, str] = {}  # the first problem of each sensor
        self._rate = EventRate()
        self._wall_clock = None if node.supervised.backend.simulated else SteadyWallClock()
        self._clock_steps = 0
        self._clock_text = ""
        self.commanded_at = self.published_at = 0.0  # s on the steady clock, of the last command and the last state
        self.failure: Exception | None = None  # why the backend could not be started
        self.end_text = f"the run has ended, at {node.settings.stop_at:g} s"
        self._updated_at = 0.0  # s on the steady clock
        self._lock = threading.RLock()  # the ticks may have a thread of their own
        self._diagnostics = DiagnosticsReporter(node, node.spec.name, self._refresh)
        monitored = {JOINT_COMMANDS: commander} | dict.fromkeys(publishers.exclusive, None)
        self._monitor = PublisherMonitor(node, monitored, self.update)

    def _refresh(self) -> None:
        self._rate.update(self._node.ticks)
        self._check_clock()
        self._published_motion = ""  # publish it again, in case another node has published under this name
        self.update()

    def _check_clock(self) -> None:
        """Report once where the system's clock was set: time and stamps of the run go on without it."""
        if self._wall_clock is None:
            return
        step_s = self._wall_clock.take_step_s()
        if abs(step_s) < MIN_CLOCK_STEP_S:
            return
        self._clock_steps += 1
        direction = "ahead" if step_s > 0.0 else "back"
        self._clock_text = (
            f"the system's clock was set {direction} by {abs(step_s):.2g} s: the run goes on by the steady clock, and "
            "its stamps keep the former time until the stack is started again"
        )
        self._node.get_logger().warning(self._clock_text)

    def update_soon(self) -> None:
        """Update, unless the last update was a moment ago: then the periodic one follows."""
        if time.monotonic() - self._updated_at > MIN_PUBLISH_INTERVAL_S:
            self.update()

    def update(self, *, now: bool = False) -> None:
        """Update the diagnostics; with `now` they are published at once."""
        with self._lock:
            self._updated_at = time.monotonic()
            if self.failure is not None:
                remedy = getattr(self.failure, "remedy", "").rstrip(".")
                self._diagnostics.set(ERROR, str(self.failure), {"remedy": remedy}, now=now)
                return
            level, text = self._status()
            motion = self._node.supervised.supervisor.motion.value
            if motion != self._published_motion:
                now = True  # it may have changed again before the next periodic message
                self._published_motion = motion
                self._publishers.publish_motion(level, motion)
            self._diagnostics.set(level, text, self._values(), now=now)

    def _status(self) -> tuple[bytes, str]:
        node, supervisor = self._node, self._node.supervised.supervisor
        self._record_events()
        if supervisor.motion in LATCHED_STATES:
            return ERROR, supervisor.report.fault
        sensors = node.supervised.sensors
        problems = {} if sensors is None else sensors.problems
        self._log_sensor_problems(problems)
        warnings = (
            node.idle_reason,
            supervisor.timeout_reason,
            *problems.values(),
            node.supervised.warning,
            node.estimator.note,
            self._monitor.text,
            self._recent.text,
        )
        if text := "; ".join(filter(None, warnings)):
            return WARN, text
        return OK, self.end_text if node.finished else f"motion is {supervisor.motion.value}"

    def _log_sensor_problems(self, problems: Mapping[str, str]) -> None:
        """Log the first problem of each sensor, and keep it for the summary of the run."""
        for sensor, problem in problems.items():
            if sensor not in self._sensor_warnings:
                self._sensor_warnings[sensor] = problem
                self._node.get_logger().warning(f"{problem}.")

    def _record_events(self) -> None:
        node, report = self._node, self._node.supervised.supervisor.report
        slow = f"{self._rate.value:.0f} of {node.settings.rate:g} ticks/s over the last second"
        self._recent.record("rejected", report.rejected, report.last_rejection)
        self._recent.record("clamped", report.clamped, report.last_clamp)
        self._recent.record("late", report.late, f"{report.late} ticks had no command in time")
        self._recent.record("clock", self._clock_steps, self._clock_text)
        self._recent.record("overruns", node.overruns, f"control loop too slow: {slow}")

    def _values(self) -> dict[str, object]:
        node, report = self._node, self._node.supervised.supervisor.report
        return {
            "motion": node.supervised.supervisor.motion.value,
            "active": node.active,
            "fault": report.fault,
            "joint": report.joint,
            "remedy": report.remedy,
            "rate": node.settings.rate,
            "rate_measured": self._rate.value,
            "finished": node.finished,
            "ticks": node.ticks,
            "late_ticks": report.late,
            "blocked_ticks": node.blocked_ticks,
            "overruns": node.overruns,
            "clamped": report.clamped,
            "last_clamp": report.last_clamp,
            "rejected": report.rejected,
            "last_rejection": report.last_rejection,
            "ignored": self._commander.ignored,
            "command_source": self._commander.source_node,
            "command_publishers": self._monitor.counts[JOINT_COMMANDS.name],
            "state_publishers": self._monitor.counts[JOINT_STATES.name],
            "command_age": age(self.commanded_at),
            "state_age": age(self.published_at),
            "estimator": node.estimator.name,
            "external_pose": "used" if node.estimator.uses_external_pose else "",
            "sensor_warnings": "; ".join(self._sensor_warnings.values()),
            **node.supervised.health(),
        }
