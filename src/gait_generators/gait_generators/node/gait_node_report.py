"""Diagnostics of the gait node; docs/architecture.md lists the keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from crawler_nodes.diagnostics import OK, WARN, DiagnosticsReporter, RecentEvents
from crawler_nodes.topics import GAIT_REFERENCE
from crawler_nodes.transport.message_source import sender_node
from crawler_nodes.transport.publisher_monitor import PublisherMonitor

if TYPE_CHECKING:
    from gait_generators.node.gait_node import GaitNode

MAX_LOGGED_KINDS = 100


class GaitNodeReport:
    def __init__(self, node: GaitNode, hardware_id: str) -> None:
        self.problems = 0
        self.waiting_for = ""  # before there is a motion
        self._node = node
        self._last_problem = ""
        self._notes: dict[str, str] = {}
        self._logged: set[str] = set()
        self._recent = RecentEvents()
        self._diagnostics = DiagnosticsReporter(node, hardware_id, refresh=self.publish)
        self._publishers = PublisherMonitor(node, {GAIT_REFERENCE: None}, self.publish)

    def add_problem(self, sentence: str) -> None:
        self.problems += 1
        self._last_problem = sentence
        self._log_once(re.sub(r"[\d.+e-]+", "", sentence), sentence)
        self.publish()

    def add_notes(self, notes: Mapping[str, str]) -> None:
        """Report what the robot cannot do of a velocity command, by kind; each kind is logged once."""
        self._notes = dict(notes)
        for kind, sentence in notes.items():
            self._log_once(kind, sentence)

    def _log_once(self, kind: str, sentence: str) -> None:
        if kind not in self._logged and len(self._logged) < MAX_LOGGED_KINDS:
            self._logged.add(kind)
            self._node.get_logger().warning(sentence)

    def publish(self) -> None:
        node = self._node
        self._recent.record("problem", self.problems, self._last_problem)
        if node.clock_guard is not None:
            self._recent.record("clock", node.clock_guard.ignored, "a second time source on /clock is ignored")
        is_steered = node.velocity.command is not None
        if node.stream is None:
            level, text = WARN, self.waiting_for
        else:
            level, text = OK, "driven by cmd_vel" if is_steered else "streaming"
        notes = self._notes.values() if is_steered else ()
        warnings = (node.velocity.warning, *notes, node.steering.problem, node.cmd_vel.warning)
        if troubles := [one for one in (*warnings, self._recent.text, self._publishers.text) if one]:
            level, text = WARN, "; ".join([*troubles, *([] if level == OK else [text])])
        values: dict[str, object] = {
            "gait": node.gait_name,
            "period": node.gait.period,
            "changed_ns": node.changed_ns,
            "horizons": node.reference.count,
            "state_source": sender_node(node.backend) if node.backend else "",
            "rejected": self.problems,
            "last_rejection": self._last_problem,
            "reference_publishers": self._publishers.counts[GAIT_REFERENCE.name],
        }
        if (steering := node.steering.poll()) is not None:
            limits = steering.steering.range
            values |= {
                "fastest_forward": limits.forward,
                "fastest_backward": limits.backward,
                "fastest_yaw": limits.yaw,
                "slowest": limits.slowest,
                "cmd_vel_type": node.cmd_vel.type_name,
            }
        if is_steered:
            trim = 0.0 if steering is None else steering.trim
            values |= {"forward": node.executed.forward, "yaw": node.executed.yaw, "speed_trim": trim}
        self._diagnostics.set(level, text, values)
