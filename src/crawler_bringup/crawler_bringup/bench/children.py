"""Starting the processes of a benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions


from crawler_bringup.processes import Processes
from crawler_bringup.run_log import RunLog
from crawler_bringup.stack import Options, make_stack
from crawler_bringup.tap import Tap, Topic


def bare_process(*words: object) -> subprocess.Popen[str]:
    """One side of the bare ping-pong; ends with the context."""
    return _Ending(
        [sys.executable, "-m", "crawler_bringup.bench.bare", *map(str, words)], stdout=subprocess.PIPE, text=True
    )


class _Ending(subprocess.Popen):
    def __exit__(self, *_: object) -> None:
        self.terminate()
        self.wait()


def bare(seconds: float) -> dict[str, float]:
    """The bare ping-pong, as fast as it goes."""
    with bare_process("pong"), bare_process("ping", seconds) as ping:
        output, _ = ping.communicate()
        return json.loads(output)


class Watching:
    """A node that taps topics, for as long as the context lasts."""

    def __init__(self, topics: list[tuple[Topic, Callable[..., None]]]) -> None:
        self._topics = topics

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

    def check(self) -> None:
        """Raise where watching on makes no sense."""


class Ring(Watching):
    """The real nodes, watched."""

    def __init__(self, backend: str, settings: dict[str, Any], topics: list[tuple[Topic, Callable[..., None]]]) -> None:
        super().__init__(topics)
        self._stack = make_stack(Options(backend=backend, settings={"backend": settings}))
        self._temporary = tempfile.TemporaryDirectory(prefix="crawler-bench-")
        self.log = RunLog()

    def __enter__(self) -> Any:
        super().__enter__()
        self.taps.append(self.log.tap(self.node))
        self.processes = Processes(self._stack.nodes, Path(self._temporary.name))
        self.began = time.perf_counter()
        self.processes.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.processes.stop()
        super().__exit__()
        self._temporary.cleanup()

    def check(self) -> None:
        if ended := self.processes.ended():
            name = next(iter(ended))
            raise RuntimeError(f"the node '{name}' ended:\n{self.processes.last_words(name)}")

    def memory(self) -> dict[str, float]:
        """Resident memory of each process in megabytes."""
        return {name: _resident(child.pid) for name, child in self.processes.children.items()}


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    return float("nan")
