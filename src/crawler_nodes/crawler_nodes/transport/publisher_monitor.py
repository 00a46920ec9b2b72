"""Detection of several publishers on topics that one node may publish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from crawler_nodes.diagnostics import RecentEvents
from crawler_nodes.rejection_log import RejectionLog
from crawler_nodes.topics import Topic
from crawler_nodes.transport.message_source import UNKNOWN_NODE, publisher_nodes
from crawler_nodes.transport.source_arbiter import SourceArbiter

# how the messages of another node are declared, by topic
DECLARATIONS = {"contact_states": ", or a topic of their own that controller.contact_topic names"}
POLL_PERIOD_S = 0.1  # short, so that a publisher that soon leaves is seen too


class PublisherMonitor:
    """Polls the publishers of some topics. A warning stays for a while after the last duplicate has gone.

    `counts` has the number of publishers of each topic, by its name.
    """

    def __init__(self, node: Node, topics: Mapping[Topic, SourceArbiter | None], on_change: Callable[[], None]) -> None:
        """`topics` maps each topic to the arbiter of its source, if it has one; `on_change` follows a new text."""
        self.counts = {topic.name: 0 for topic in topics}
        self._node = node
        self._topics = topics
        self._on_change = on_change
        self._duplicate_polls = dict.fromkeys(topics, 0)  # polls that found more than one publisher
        self._recent = RecentEvents()
        self._log = RejectionLog(node)
        node.create_timer(POLL_PERIOD_S, self._poll, clock=Clock(clock_type=ClockType.STEADY_TIME))

    @property
    def text(self) -> str:
        """The warning, and what to do; empty where there is none."""
        return self._recent.text

    def _poll(self) -> None:
        before = self.text
        for topic, arbiter in self._topics.items():
            self._poll_topic(topic, arbiter)
        if self.text != before:
            self._on_change()

    def _poll_topic(self, topic: Topic, arbiter: SourceArbiter | None) -> None:
        self.counts[topic.name] = self._node.count_publishers(self._node.resolve_topic_name(topic.name))
        nodes = publisher_nodes(self._node, topic) if self.counts[topic.name] > 1 else []
        if nodes and not any(UNKNOWN_NODE in name for name in nodes):
            self._duplicate_polls[topic] += 1
            warning = duplicate_warning(topic.name, nodes, arbiter.source_node if arbiter else "")
            self._recent.record(topic.name, self._duplicate_polls[topic], warning)
            self._log.warn(warning)
        if arbiter:
            self._recent.record(f"ignored {topic.name}", arbiter.ignored, arbiter.warning(topic.name))


def duplicate_warning(topic: str, nodes: list[str], followed: str) -> str:
    """Return what is wrong where several nodes publish a topic, and what to do; empty for a single one."""
    if len(nodes) < 2:
        return ""
    names = [name if count == 1 else f"{name} ({count} times)" for name, count in sorted(Counter(nodes).items())]
    remedy = DECLARATIONS.get(topic, "")
    return (
        f"{len(nodes)} nodes publish {topic} ({', '.join(names)}), but only one may: {followed or 'the first'} is "
        f"followed; stop the others, or give them a namespace or another ROS_DOMAIN_ID{remedy}"
    )
