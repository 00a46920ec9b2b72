"""Watching a ring from outside: the real nodes, tapped, for benchmarks and whole-system tests."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from crawler_bringup.discovery import hasten_discovery
from crawler_bringup.stack import Options, make_stack
from crawler_cli.processes import Processes
from crawler_cli.run_log import RunLog
from crawler_nodes.tap import Tap, Topic

Topics = list[tuple[Topic, Callable[..., None]]]


class Watching:
    """A node that taps topics, for as long as the context lasts."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        hasten_discovery()

    def __enter__(self) -> Any:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.node: Node = rclpy.create_node("bench")
        self.taps = [Tap(self.node, self._topics)]
        return self

    def __exit__(self, *_: object) -> None:
        self.node.destroy_node()
        rclpy.try_shutdown()

    def watch(self, until: Callable[[], bool], seconds: float) -> float:
        """Drain the taps until `until` or for `seconds`; returns how long it took."""
        start = time.perf_counter()
        while not until() and time.perf_counter() - start < seconds:
            for tap in self.taps:
                tap.drain()
            self.check()
            time.sleep(0.005)
        return time.perf_counter() - start

    def call(self, kind: Any, name: str, request: Any, seconds: float = 60.0) -> Any:
        """Call a service and return its answer, watching meanwhile. Raises TimeoutError without an answer."""
        # a node of its own: the taps of the other one must not be spun
        asker = rclpy.create_node("asker")
        executor = SingleThreadedExecutor()
        executor.add_node(asker)
        try:
            client = asker.create_client(kind, name)
            self.watch(client.service_is_ready, seconds)
            future = client.call_async(request)

            def answered() -> bool:
                executor.spin_once(timeout_sec=0.0)
                return future.done()

            self.watch(answered, seconds)
            if not future.done():
                raise TimeoutError(f"the service {name} did not answer within {seconds:g} s")
            return future.result()
        finally:
            executor.shutdown()
            asker.destroy_node()

    def check(self) -> None:
        """Raise where watching on makes no sense."""


class Ring(Watching):
    """The real nodes of a stack, watched. `log` fills while `watch` is called.

    With `logged` false only `topics` are listened to, so that watching costs the ring as little as possible.
    """

    def __init__(self, options: Options, topics: Topics | None = None, logged: bool = True) -> None:
        super().__init__(topics or [])
        self._logged = logged
        watchers = int(logged) + sum(topic.name == "joint_states" for topic, _ in self._topics)
        self.stack = make_stack(replace(options, watchers=watchers))
        self._temporary = tempfile.TemporaryDirectory(prefix="crawler-")
        self.expected_to_end: set[str] = set()
        self.log = RunLog()

    def __enter__(self) -> Any:
        self.processes = Processes(self.stack.nodes, Path(self._temporary.name))
        self.began = time.perf_counter()
        self.processes.start()
        super().__enter__()
        if self._logged:
            self.taps.append(self.log.tap(self.node))
        return self

    def __exit__(self, *_: object) -> None:
        self.processes.stop()
        super().__exit__()
        self._temporary.cleanup()

    def check(self) -> None:
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
