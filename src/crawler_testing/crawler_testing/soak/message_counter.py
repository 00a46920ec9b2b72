"""Counts of received messages, by the middleware's sequence numbers, and of those that the recorder reports."""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message

from crawler_nodes.messages.header import read_stamp_ns


@dataclass
class MessageCounter:
    """Counts the messages of one publisher, whose type begins with a header."""

    first: int = 0  # sequence number of the first received; 0: none yet
    last: int = 0
    received: int = 0
    stamps: array = field(default_factory=lambda: array("q"))  # ns, of those received

    def add(self, data: bytes, info: dict[str, Any]) -> None:
        number = info["publication_sequence_number"]
        self.first = self.first or number
        self.last = max(self.last, number)
        self.received += 1
        self.stamps.append(read_stamp_ns(data))

    @property
    def missed(self) -> int:
        """Messages that were sent since the first received one, and not received."""
        return self.last - self.first + 1 - self.received if self.received else 0


@dataclass
class RecorderCounter:
    """Reads the recorder's count of messages from diagnostics."""

    counts: deque[int] = field(default_factory=lambda: deque(maxlen=2))  # last two that differ

    def add(self, data: bytes, _info: dict[str, Any]) -> None:
        for status in deserialize_message(data, DiagnosticArray).status:
            count = next((int(entry.value) for entry in status.values if entry.key == "messages"), 0)
            if status.name.rpartition("/")[2] == "recorder" and count not in self.counts:  # a report may be repeated
                self.counts.append(count)

    @property
    def flushed(self) -> int:
        """Messages that are in the file: those of the report before the last, since each report follows a flush."""
        return self.counts[0] if len(self.counts) == 2 else 0
