"""Latency between two topics."""

from __future__ import annotations

import numpy as np
from sensor_msgs.msg import JointState

from crawler_nodes.messages.header import read_stamp_ns
from crawler_nodes.topics import Topic
from crawler_nodes.transport.tap import TopicCallbacks


class Latency:
    """Measures the time from a message to the answer with its stamp, between the middleware's source timestamps."""

    def __init__(self, question: str, answer: str) -> None:
        self._sent: dict[int, int] = {}  # source timestamp by stamp, both in ns
        self.microseconds: list[float] = []
        self.topics: TopicCallbacks = [
            (Topic(question, JointState), self._on_question),
            (Topic(answer, JointState), self._on_answer),
        ]

    def _on_question(self, data: bytes, info: dict[str, int]) -> None:
        self._sent[read_stamp_ns(data)] = info["source_timestamp"]

    def _on_answer(self, data: bytes, info: dict[str, int]) -> None:
        if (start := self._sent.get(read_stamp_ns(data))) is not None:
            self.microseconds.append((info["source_timestamp"] - start) * 1e-3)

    def percentiles(self, prefix: str = "") -> dict[str, float]:
        return {f"{prefix}p{p}_us": float(np.percentile(self.microseconds, p)) for p in (50, 99)}
