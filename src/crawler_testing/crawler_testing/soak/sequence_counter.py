"""Which messages of a topic came, by the numbers that the middleware gives them; and which the recorder has."""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message

from crawler_nodes.transport.tap import nanoseconds_of


@dataclass
class Sequence:
    """Feed it `hear`. Of one publisher."""

    first: int = 0  # the number of the first that came; 0: none yet
    latest: int = 0
    heard: int = 0
    stamps: array = field(default_factory=lambda: array("q"))  # ns, of those that came

    def hear(self, data: bytes, info: dict[str, Any]) -> None:
        """A serialised message of a topic whose type begins with a header."""
        number = info["publication_sequence_number"]
        self.first = self.first or number
        self.latest = max(self.latest, number)
        self.heard += 1
        self.stamps.append(nanoseconds_of(data))

    @property
    def missed(self) -> int:
        """How many were sent since the first that came, and did not come."""
        return self.latest - self.first + 1 - self.heard if self.heard else 0


@dataclass
class RecorderPromise:
    """What the recorder has said that it has. Feed it `hear`."""

    counts: deque[int] = field(default_factory=lambda: deque(maxlen=2))  # messages, by its last two words that differ

    def hear(self, data: bytes, _info: dict[str, Any]) -> None:
        """A serialised message of diagnostics."""
        for status in deserialize_message(data, DiagnosticArray).status:
            count = next((int(entry.value) for entry in status.values if entry.key == "messages"), 0)
            if status.name.rpartition("/")[2] == "recorder" and count not in self.counts:  # a word may be repeated
                self.counts.append(count)

    @property
    def kept(self) -> int:
        """Messages that must be in the file: it is flushed between any two words, so those of the last but one."""
        return self.counts[0] if len(self.counts) == 2 else 0
