"""Choice of the one node that commands a robot without a controller.

Ordinary messages do not name their sender. The publishers of a topic are told apart by the numbers that the middleware
gives to their messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from crawler_nodes.topics import Topic
from crawler_nodes.transport.message_source import publisher_nodes
from crawler_nodes.transport.source_arbiter import SourceArbiter

MAX_LOST = 1000  # messages of one publisher in a row
MAX_SEQUENCES = 16  # of a topic, that are remembered
POLL_PERIOD_S = 0.1  # after which the publishers are asked for again


@dataclass
class _Sequence:
    """The messages of one publisher, as far as is known."""

    index: int
    number: int
    sent_ns: int
    period_ns: int = 0


class PublisherSequences:
    """Sorts the messages of one topic by publisher; each counts its own messages."""

    def __init__(self) -> None:
        self._sequences: list[_Sequence] = []
        self._count = 0

    def index_of(self, number: int | None, sent_ns: int) -> int:
        """Return which publisher's message this is; always 0 where the middleware does not number them."""
        if number is None:
            return 0
        follows = [one for one in self._sequences if 0 < number - one.number <= MAX_LOST]
        if not follows:
            self._sequences = [*self._sequences[1 - MAX_SEQUENCES :], _Sequence(self._count, number, sent_ns)]
            self._count += 1
            return self._count - 1
        # two that count alike are told apart by their pace
        best = min(follows, key=lambda one: (number - one.number, abs(sent_ns - one.sent_ns - one.period_ns)))
        best.number, best.period_ns, best.sent_ns = number, sent_ns - best.sent_ns, sent_ns
        return best.index


class CommandSourceArbiter(SourceArbiter):
    """Accepts the commands of one node: the first, until it leaves, or has been silent for the timeout."""

    def __init__(
        self, node: Node, topics: Sequence[Topic], timeout_s: float, clock: Callable[[], float] | None = None
    ) -> None:
        super().__init__(timeout_s, clock)
        self._node = node
        self._topics = topics
        self._sequences = {topic: PublisherSequences() for topic in topics}
        self._followed: tuple[Topic, int] | None = None
        self._publishers: Mapping[Topic, list[str]] = {}
        self._updated_s = 0.0

    def accept_message(self, topic: Topic, info: Mapping[str, Any], allow_takeover: bool = True) -> bool:
        """Return whether a message counts. Without `allow_takeover` another node has to wait until the first leaves."""
        number, sent_ns = info.get("publication_sequence_number"), info.get("source_timestamp") or 0
        one = topic, self._sequences[topic].index_of(number, sent_ns)
        if one == self._followed:
            return self.accept(self.source or "")
        self._update_publishers()
        alone = self._single_node()
        if alone:  # it alone is left, or it publishes another topic now
            self.source, self._followed = None, None
        if self.accept(self._name(topic, one[1], alone), allow_takeover):
            self._followed = one
            return True
        return False

    def _name(self, topic: Topic, index: int, alone: str) -> str:
        """Return a name for the publisher, such as /my_node#joint_commands.0."""
        others = sorted({name for name in self._publishers.get(topic, ()) if name != self.source_node})
        return f"{alone or (others[0] if len(others) == 1 else 'one of ' + ', '.join(others))}#{topic.name}.{index}"

    def _single_node(self) -> str:
        """Return the one node that publishes commands; empty where there are several."""
        each = list(self._publishers.values())
        names = {name for nodes in each for name in nodes}
        is_single = len(names) == 1 and all(len(nodes) <= 1 for nodes in each)
        return names.pop() if is_single else ""

    def _update_publishers(self) -> None:
        now = time.monotonic()
        if now - self._updated_s < POLL_PERIOD_S and self._followed is not None and not self._single_node():
            return
        self._updated_s = now
        self._publishers = {topic: publisher_nodes(self._node, topic) for topic in self._topics}

    def warning(self, topic: str) -> str:
        """Return a sentence on the latest message that was ignored."""
        return f"{super().warning(topic)}; stop one of the two, since one node alone may command the robot"
