"""Who speaks on a topic of the ring, and who is followed.

Every sender gives its name in the `frame_id` of what it sends, since the middleware does not tell it. A command says
besides which backend's state it answers: "<backend> <controller>".
"""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from crawler_nodes.diagnostics import Recent

HEADER = 16  # bytes of a serialised header before its frame_id
_TOKEN = re.compile(rb"#[0-9a-f]{8}")
PATIENCE = 2.0  # s of silence after which somebody else may be followed
LOOK = 0.1  # s between two looks at who publishes: a stranger need not stay for long to be seen
LONGEST = 100  # characters of a sender's name that are told: it may have given itself any
NAMELESS = "_NODE_NAME_UNKNOWN_"  # what the middleware calls a node that has just come or is just going


def own_name(node: Node) -> str:
    """A name that no other process has, such as /left/controller#1f2e3d4c."""
    return f"{node.get_fully_qualified_name()}#{secrets.token_hex(4)}"


def read_sender(data: bytes) -> str:
    """The frame_id of a serialised message that begins with a header."""
    end = HEADER + int.from_bytes(data[HEADER - 4 : HEADER], "little")
    return data[HEADER : end - 1].decode(errors="replace")


def strip_instance_id(data: bytes) -> bytes:
    """A serialised message that begins with a header, as every run would say it: without what tells processes apart."""
    end = HEADER + int.from_bytes(data[HEADER - 4 : HEADER], "little")
    return data[:HEADER] + _TOKEN.sub(b"#--------", data[HEADER:end]) + data[end:]


def node_of(speaker: str) -> str:
    """The node in a sender's name, for a person."""
    return speaker.partition("#")[0][:LONGEST] or "a sender without a name"


class SourceArbiter:
    """The one whose messages of a topic are followed: the first who spoke, until it has long been silent."""

    def __init__(self, patience: float = PATIENCE, clock: Callable[[], float] | None = None) -> None:
        self.holder: str | None = None
        self.ignored = 0  # messages of others
        self._other = ""  # who sent the last of them
        self._patience = patience
        self._clock = clock or time.monotonic
        self._heard = 0.0  # s, when the holder spoke last
        self._pause = 0.0  # s, between its last two words: whoever speaks seldom is not silent yet

    def admits(self, speaker: str, vacant: bool = True) -> bool:
        """Whether a message of this sender counts. Where `vacant` is false the seat does not change hands."""
        now = self._clock()
        if speaker == self.holder:
            self._pause = now - self._heard
        elif self.holder is not None and not (vacant and now - self._heard > max(self._patience, 4.0 * self._pause)):
            self.ignored += 1
            self._other = speaker
            return False
        else:
            self.holder, self._pause = speaker, 0.0
        self._heard = now
        return True

    @property
    def node(self) -> str:
        """The node that is followed, for a person; empty where there is none yet."""
        return "" if self.holder is None else node_of(self.holder)

    def complaint(self, topic: str) -> str:
        """The latest message that did not count, in a sentence."""
        return f"{topic} of {node_of(self._other)} is ignored, since {self.node} is followed"


def publishers(node: Node, topic: str) -> list[str]:
    """The nodes that publish a topic, in alphabetical order; one that does so twice is there twice."""
    found = node.get_publishers_info_by_topic(topic)
    return sorted(f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in found)


def duplicate_warning(topic: str, nodes: list[str], followed: str) -> str:
    """What is wrong where several nodes publish a topic that one may publish, and what to do; empty otherwise."""
    if len(nodes) < 2:
        return ""
    names = [name if count == 1 else f"{name} ({count} times)" for name, count in sorted(Counter(nodes).items())]
    heed = f"{followed} is followed, which was first" if followed else "the first is followed"
    return (
        f"{len(nodes)} nodes publish {topic}, {' and '.join(names)}: {heed}; "
        "end the others, or give them a namespace or another ROS_DOMAIN_ID"
    )


class PublisherMonitor:
    """Who publishes topics that one node may publish. It is looked at often, and told for a while after they have gone.

    `counts` has the publishers of each topic at the last look.
    """

    def __init__(self, node: Node, topics: Mapping[str, SourceArbiter | None], tell: Callable[[], None]) -> None:
        """`topics`, each with the seat of who is followed where there is one; `tell` is called when the text is new."""
        self.counts = dict.fromkeys(topics, 0)
        self._node = node
        self._topics = topics
        self._tell = tell
        self._crowded = dict.fromkeys(topics, 0)  # looks at which it was
        self._recent = Recent()
        node.create_timer(LOOK, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    @property
    def text(self) -> str:
        """What is wrong, and what to do; empty where nothing is."""
        return self._recent.text

    def _look(self) -> None:
        before = self.text
        for topic, seat in self._topics.items():
            self.counts[topic] = self._node.count_publishers(self._node.resolve_topic_name(topic))
            nodes = publishers(self._node, topic) if self.counts[topic] > 1 else []
            if nodes and not any(NAMELESS in name for name in nodes):
                self._crowded[topic] += 1
                self._recent.note(
                    topic, self._crowded[topic], duplicate_warning(topic, nodes, seat.node if seat else "")
                )
            if seat:
                self._recent.note(f"others on {topic}", seat.ignored, seat.complaint(topic))
        if self.text != before:
            self._tell()
