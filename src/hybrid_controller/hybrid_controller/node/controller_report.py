"""Diagnostics of the controller node; docs/architecture.md lists the keys."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawler_core.safety.supervisor import MOVING_STATES
from crawler_nodes.diagnostics import ERROR, OK, WARN, DiagnosticsReporter, EventRate, RecentEvents, age
from crawler_nodes.rejection_log import RejectionLog
from crawler_nodes.topics import GAIT_REFERENCE, JOINT_STATES
from crawler_nodes.transport.publisher_monitor import PublisherMonitor
from hybrid_controller.controller import Status

if TYPE_CHECKING:
    from hybrid_controller.node.controller_node import ControllerNode

PROBLEM_INTERVAL_S = 1.0  # between two problems that are published at once, at least


class ControllerReport:
    """Publishes the status of one controller node, and logs its changes."""

    def __init__(self, node: ControllerNode, hardware_id: str) -> None:
        self._node = node
        self._recent = RecentEvents()
        self._problems = 0
        self._last_problem = ""
        self._log = RejectionLog(node)
        self._published_s = 0.0  # on the steady clock, of the last problem
        self._rate = EventRate()
        self._logged_status = Status.WAITING
        self._published: tuple[object, ...] = ()
        self._diagnostics = DiagnosticsReporter(node, hardware_id, self._refresh)
        sources = {GAIT_REFERENCE: node.reference_source, JOINT_STATES: node.state_source}
        self._publishers = PublisherMonitor(node, sources, self.publish)

    def add_problem(self, sentence: str) -> None:
        """Report an input that cannot be used; the log has each reason once."""
        self._problems += 1
        self._last_problem = sentence
        self._log.warn(sentence)
        now = time.monotonic()
        if now - self._published_s > PROBLEM_INTERVAL_S:
            self._published_s = now
            self.publish()

    def publish_changes(self) -> None:
        """Publish the status if it has changed since the last time."""
        if self._state() != self._published:
            self.publish()

    def publish(self) -> None:
        self._published = self._state()
        self._log_status()
        self._recent.record("problem", self._problems, self._last_problem)
        level, text = self._summary()
        if troubles := [one for one in (self._recent.text, self._publishers.text) if one]:
            text = "; ".join([*troubles, *([] if level == OK else [text])])
            level = ERROR if self._recent.text else WARN
        self._diagnostics.set(level, text, self._values())

    def _state(self) -> tuple[object, ...]:
        node = self._node
        return node.controller.status, node.law_report.note, node.motion_state

    def _refresh(self) -> None:
        self._rate.update(self._node.outputs.commands)
        self.publish()

    def _summary(self) -> tuple[bytes, str]:
        """Return level and text of the status, without the recent problems."""
        node, controller = self._node, self._node.controller
        if node.motion_state not in MOVING_STATES:
            return WARN, f"motion is {node.motion_state.value}: standing by"
        if controller.status is not Status.TRACKING:
            return WARN, {
                Status.WAITING: "waiting for a reference and a state",
                Status.STOPPING: "the reference ran out: stopping",
                Status.STOPPED: "the reference ran out: stopped",
            }[controller.status]
        if node.law_report.note:
            return WARN, node.law_report.note
        return OK, "approaching the reference" if controller.approaching else "tracking"

    def _values(self) -> dict[str, object]:
        node, controller = self._node, self._node.controller
        return {
            "law": node.law_name,
            "branch": node.law_report.branch,
            "status": controller.status.name,
            "commands": node.outputs.commands,
            "degraded_commands": node.outputs.degraded_commands,
            "rate_measured": self._rate.value,
            "rejected": node.safe_subscriptions.rejected,
            "last_rejection": self._last_problem,
            "ignored": node.state_source.ignored + node.reference_source.ignored,
            "state_source": node.state_source.source_node,
            "state_publishers": self._publishers.counts[JOINT_STATES.name],
            "reference_source": node.reference_source.source_node,
            "reference_publishers": self._publishers.counts[GAIT_REFERENCE.name],
            "state_age": age(node.state_received_s),
            "horizon_remaining": controller.reference.remaining(node.now_ns),
        }

    def _log_status(self) -> None:
        status, logger = self._node.controller.status, self._node.get_logger()
        if status is self._logged_status:
            return
        self._logged_status = status
        if status is Status.STOPPING:
            logger.warning("no usable reference or state: bringing the joints to rest")
        else:
            logger.info(status.name.lower())
