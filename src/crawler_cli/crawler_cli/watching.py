"""A ring of one's own to watch: the real nodes of a stack, for benchmarks and whole-system tests."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rclpy.node import Node

from crawler_bringup.discovery import hasten_discovery
from crawler_bringup.stack import Options, make_stack
from crawler_cli.processes import Processes
from crawler_nodes.ring_view import RingView
from crawler_nodes.run_log import RunLog, Topics


class Ring:
    """Starts the nodes of a stack, and ends them. `log` fills while `watch` is called.

    With `logged` false only `topics` are listened to, so that watching costs the ring as little as possible.
    """

    def __init__(self, options: Options, topics: Topics | None = None, logged: bool = True) -> None:
        hasten_discovery()
        self._topics = topics or []
        watchers = int(logged) + sum(topic.name == "joint_states" for topic, _ in self._topics)
        self.stack = make_stack(replace(options, watchers=watchers))
        self._temporary = tempfile.TemporaryDirectory(prefix="crawler-")
        self.expected_to_end: set[str] = set()
        self._logged = logged
        self.log = RunLog.of(self.stack.spec)

    def __enter__(self) -> Any:
        self.processes = Processes(self.stack.nodes, Path(self._temporary.name))
        self.began = time.perf_counter()
        self.processes.start()
        log = self.log if self._logged else None
        self._view = RingView(
            self._topics, log=log, namespace=self.stack.options.namespace, name="bench", check=self.check
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.processes.stop()
        self._view.close()
        self._temporary.cleanup()

    @property
    def node(self) -> Node:
        """The node that listens."""
        return self._view.node

    def watch(self, until: Callable[[], Any], seconds: float) -> float:
        """Listen until `until` or for `seconds`; returns how long it took."""
        start = time.perf_counter()
        self._view.wait(until, seconds)
        return time.perf_counter() - start

    def call(self, kind: Any, name: str, request: Any, seconds: float = 60.0) -> Any:
        """Call a service and return its answer, watching meanwhile. Raises TimeoutError without an answer."""
        return self._view.call(kind, name, request, seconds, appears=seconds)

    def check(self) -> None:
        """Raise where a node has ended that was not expected to."""
        if ended := set(self.processes.ended()) - self.expected_to_end:
            name = ended.pop()
            raise RuntimeError(f"the node '{name}' ended:\n{self.processes.last_words(name)}")

    def memory(self) -> dict[str, float]:
        """Resident memory of each process in megabytes."""
        return {name: _resident(child.pid) for name, child in self.processes.children.items()}


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    return float("nan")
