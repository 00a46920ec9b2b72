"""What the controller node says of itself in diagnostics; docs/architecture.md lists the keys."""

from __future__ import annotations

import time
from typing import Any

from crawler_core.safety.supervisor import MOVING_STATES
from crawler_nodes.diagnostics import ERROR, OK, WARN, DiagnosticsReporter, EventRate, RecentEvents, age
from crawler_nodes.transport.publisher_monitor import PublisherMonitor
from hybrid_controller.controller import Controller, Status

AGAIN = 1.0  # s after which a complaint is logged again


class ControllerReport:
    """Tells how one controller node is."""

    def __init__(self, node: Any, hardware_id: str) -> None:
        self._node = node
        self._recent = RecentEvents()
        self._complaints = 0
        self._complaint = ""
        self._logged = 0.0  # s
        self._rate = EventRate()
        self._status = Status.WAITING
        self._said: tuple[object, ...] = ()
        self._diagnostics = DiagnosticsReporter(node, hardware_id, self._refresh)
        self._company = PublisherMonitor(node, {"gait_reference": node.gait, "joint_states": node.backend}, self.say)

    def complain(self, sentence: str) -> None:
        """Say what cannot be used; the log has it once a second at most."""
        self._complaints += 1
        self._complaint = sentence
        now = time.monotonic()
        if now - self._logged > AGAIN:
            self._logged = now
            self._node.get_logger().error(sentence)
            self.say()

    def look(self) -> None:
        """Say how things are where they have changed since."""
        if (self._node.controller.status, self._node.law_report.note, self._node.motion) != self._said:
            self.say()

    def _refresh(self) -> None:
        self._rate.measure(self._node.answers)
        self.say()

    def say(self) -> None:
        """Say how things are."""
        node, controller = self._node, self._node.controller
        self._said = (controller.status, node.law_report.note, node.motion)
        self._log_status(controller)
        self._recent.note("complaint", self._complaints, self._complaint)
        moving = node.motion in MOVING_STATES
        words = {
            Status.WAITING: (WARN, "waiting for a reference and a state"),
            Status.TRACKING: (OK, "approaching the reference" if controller.approaching else "tracking"),
            Status.STOPPING: (WARN, "the reference ran out: stopping"),
            Status.STOPPED: (WARN, "the reference ran out: stopped"),
        }
        level, text = words[controller.status] if moving else (WARN, f"motion is {node.motion.value}: standing by")
        if level == OK and node.law_report.note:
            level, text = WARN, node.law_report.note
        if troubles := [one for one in (self._recent.text, self._company.text) if one]:
            text = "; ".join([*troubles, *([] if level == OK else [text])])
            level = ERROR if self._recent.text else WARN
        self._diagnostics.set(
            level,
            text,
            {
                "law": node.law_name,
                "branch": node.law_report.branch,
                "status": controller.status.name,
                "commands": node.answers,
                "degraded_commands": node.notes,
                "rate_measured": self._rate.value,
                "rejected": node.hearing.refused,
                "last_rejection": self._complaint,
                "ignored": node.backend.ignored + node.gait.ignored,
                "state_source": node.backend.node,
                "state_publishers": self._company.counts["joint_states"],
                "reference_source": node.gait.node,
                "reference_publishers": self._company.counts["gait_reference"],
                "state_age": age(node.stated),
                "horizon_remaining": controller.horizon_remaining(node.now),
            },
        )

    def _log_status(self, controller: Controller) -> None:
        if controller.status is self._status:
            return
        self._status = controller.status
        if self._status is Status.STOPPING:
            self._node.get_logger().warning("no usable reference or state: bringing the joints to rest")
        else:
            self._node.get_logger().info(self._status.name.lower())
