"""What a backend node says of itself in diagnostics; docs/architecture.md lists the keys."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from crawler_core.loop.supervised_backend import Runner
from crawler_core.safety.supervisor import LATCHED
from crawler_nodes.diagnostics import ERROR, OK, WARN, DiagnosticsReporter, Rate, Recent, age
from crawler_nodes.transport.message_source import PublisherMonitor, SourceArbiter


class BackendReport:
    """Tells how the ring of one backend is; `node` is the backend node, or stands in for it."""

    def __init__(
        self,
        node: Any,
        hardware_id: str,
        commander: SourceArbiter,
        announce: Callable[[bytes, str], None],
        topics: Iterable[str],
    ) -> None:
        """`announce` is told each new motion state; `topics` are what nobody but this backend may publish."""
        self._node = node
        self._commander = commander
        self._announce = announce
        self._announced = ""
        self._recent = Recent()
        self._rate = Rate()
        self.commanded = self.stated = 0.0  # s on the steady clock, when the last command and the last state passed
        self.failure: Exception | None = None  # why the backend could not be started
        self.over = f"the run has come to its end, at {node.settings.stop_at:g} s"
        self._said = 0.0  # s, the last word
        self._lock = threading.RLock()  # the ticks may have a thread of their own
        self._diagnostics = DiagnosticsReporter(node, hardware_id, self._refresh)
        self._company = PublisherMonitor(node, {"joint_commands": commander} | dict.fromkeys(topics, None), self.say)

    def _refresh(self) -> None:
        self._rate.measure(self._node.ticks)
        self._announced = ""  # again: somebody may have said otherwise in our name
        self.say()

    def soon(self) -> None:
        """Say how things are, unless that would be too often: then the next word will."""
        if time.monotonic() - self._said > 0.1:
            self.say()

    def say(self, *, now: bool = False) -> None:
        """Say how things are; with `now` at once."""
        with self._lock:
            self._say(now)

    def _say(self, now: bool) -> None:
        node, self._said = self._node, time.monotonic()
        if self.failure is not None:
            remedy = getattr(self.failure, "remedy", "").rstrip(".")
            self._diagnostics.set(ERROR, str(self.failure), {"remedy": remedy}, now=now)
            return
        runner: Runner = node.runner
        supervisor = runner.supervisor
        report, motion = supervisor.report, supervisor.motion
        slow = f"some ticks take too long: of late {self._rate.value:.0f} of {node.settings.rate:g} a second"
        self._recent.note("refused", report.refused, report.last_refusal)
        self._recent.note("clamped", report.clamped, report.last_clamp)
        self._recent.note("late", report.late, f"{report.late} ticks had no command in time")
        self._recent.note("overruns", node.overruns, slow)
        troubles = "; ".join(filter(None, (node.standing, supervisor.silence, self._company.text, self._recent.text)))
        if motion in LATCHED:
            level, text = ERROR, report.fault
        elif troubles:
            level, text = WARN, troubles
        else:
            level, text = OK, self.over if node.finished else f"motion is {motion.value}"
        if motion.value != self._announced:
            now = True  # it may be another one again before the next word
            self._announced = motion.value
            self._announce(level, motion.value)
        values = {
            "motion": motion.value,
            "active": node.active,
            "fault": report.fault,
            "joint": report.joint,
            "remedy": report.remedy,
            "rate": node.settings.rate,
            "rate_measured": self._rate.value,
            "finished": node.finished,
            "ticks": node.ticks,
            "late_ticks": report.late,
            "blocked_ticks": node.waited,
            "overruns": node.overruns,
            "clamped": report.clamped,
            "last_clamp": report.last_clamp,
            "rejected": report.refused,
            "last_rejection": report.last_refusal,
            "ignored": self._commander.ignored,
            "command_source": self._commander.node,
            "command_publishers": self._company.counts["joint_commands"],
            "state_publishers": self._company.counts["joint_states"],
            "command_age": age(self.commanded),
            "state_age": age(self.stated),
            **runner.health(),
        }
        self._diagnostics.set(level, text, values, now=now)
