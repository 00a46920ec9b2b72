"""Who speaks on a topic of the ring, and who is followed.

Every sender gives its name in the `frame_id` of what it sends, since the middleware does not tell it. A command says
besides which backend's state it answers: "<backend> <controller>".
"""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter
from collections.abc import Callable

from rclpy.node import Node

HEADER = 16  # bytes of a serialised header before its frame_id
_TOKEN = re.compile(rb"#[0-9a-f]{8}")
PATIENCE = 2.0  # s of silence after which somebody else may be followed


def own_name(node: Node) -> str:
    """A name that no other process has, such as /left/controller#1f2e3d4c."""
    return f"{node.get_fully_qualified_name()}#{secrets.token_hex(4)}"


def sender_of(data: bytes) -> str:
    """The frame_id of a serialised message that begins with a header."""
    end = HEADER + int.from_bytes(data[HEADER - 4 : HEADER], "little")
    return data[HEADER : end - 1].decode(errors="replace")


def nameless(data: bytes) -> bytes:
    """A serialised message that begins with a header, as every run would say it: without what tells processes apart."""
    end = HEADER + int.from_bytes(data[HEADER - 4 : HEADER], "little")
    return data[:HEADER] + _TOKEN.sub(b"#--------", data[HEADER:end]) + data[end:]


def node_of(speaker: str) -> str:
    """The node in a sender's name, for a person."""
    return speaker.partition("#")[0] or "a sender without a name"


class Seat:
    """The one whose messages of a topic are followed: the first who spoke, until it has long been silent."""

    def __init__(self, patience: float = PATIENCE, clock: Callable[[], float] = time.monotonic) -> None:
        self.holder: str | None = None
        self.ignored = 0  # messages of others
        self._patience = patience
        self._clock = clock
        self._heard = 0.0  # s, when the holder spoke last
        self._pause = 0.0  # s, between its last two words: whoever speaks seldom is not silent yet

    def admits(self, speaker: str, vacant: bool = True) -> bool:
        """Whether a message of this sender counts. Where `vacant` is false the seat does not change hands."""
        now = self._clock()
        if speaker == self.holder:
            self._pause = now - self._heard
        elif self.holder is not None and not (vacant and now - self._heard > max(self._patience, 4.0 * self._pause)):
            self.ignored += 1
            return False
        else:
            self.holder, self._pause = speaker, 0.0
        self._heard = now
        return True

    @property
    def node(self) -> str:
        """The node that is followed, for a person; empty where there is none yet."""
        return "" if self.holder is None else node_of(self.holder)


def publishers(node: Node, topic: str) -> list[str]:
    """The nodes that publish a topic, in alphabetical order; one that does so twice is there twice."""
    found = node.get_publishers_info_by_topic(topic)
    return sorted(f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in found)


def crowd(topic: str, nodes: list[str], followed: str) -> str:
    """What is wrong where several nodes publish a topic that one may publish, and what to do; empty otherwise."""
    if len(nodes) < 2:
        return ""
    names = [name if count == 1 else f"{name} ({count} times)" for name, count in sorted(Counter(nodes).items())]
    heed = f"{followed} is followed, which was first" if followed else "the first is followed"
    return (
        f"{len(nodes)} nodes publish {topic}, {' and '.join(names)}: {heed}; "
        "end the others, or give them a namespace or another ROS_DOMAIN_ID"
    )
