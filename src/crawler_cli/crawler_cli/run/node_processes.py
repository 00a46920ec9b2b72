"""The nodes of a stack as child processes that never outlive their parent."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_prefix

from crawler_bringup.stack.node_spec import NodeSpec
from crawler_nodes.shutdown.parent import parent_environment
from crawler_nodes.shutdown.stopped_process_detector import StoppedProcessDetector

PR_SET_PDEATHSIG = 1
GRACE = 1.7  # s between the polite request and SIGKILL; with it every process ends within 2 s


class NodeProcesses:
    """Starts nodes, watches them and ends them; those that only a ROS 2 install has are left out."""

    def __init__(self, nodes: Sequence[NodeSpec], directory: Path) -> None:
        self._directory = directory
        self._nodes = [node for node in nodes if not node.installed_with_ros]
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self._standstill: dict[str, StoppedProcessDetector] = {}

    def start(self) -> None:
        """Start every node, its output going to <directory>/<name>.log."""
        self._directory.mkdir(parents=True, exist_ok=True)
        for node in self._nodes:
            log = (self._directory / f"{node.name}.log").open("wb")
            self.children[node.name] = subprocess.Popen(
                command(node, self._directory),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **parent_environment(), **node.environment},
                start_new_session=True,  # Ctrl-C reaches the parent alone, which ends the children in its own order
                preexec_fn=end_with_parent,
            )
            log.close()
            self._standstill[node.name] = StoppedProcessDetector(self.children[node.name].pid)

    def ended(self) -> dict[str, int]:
        """The nodes that are no longer running, with their exit codes."""
        return {name: child.returncode for name, child in self.children.items() if child.poll() is not None}

    def stopped(self) -> list[str]:
        """The nodes that somebody has stopped for a while, without ending them."""
        return [name for name, stands_still in self._standstill.items() if stands_still()]

    def last_words(self, name: str, lines: int = 6) -> str:
        """The end of a node's log."""
        file = self._directory / f"{name}.log"
        text = file.read_text(errors="replace").strip()
        return "\n".join(text.splitlines()[-lines:]) or f"(it said nothing in {file})"

    def stop(self) -> dict[str, int]:
        """End every node: asked first, killed if it does not listen. Returns the exit codes."""
        self._send(signal.SIGTERM)  # SIGINT would show in the log of a node that has not got beyond its imports
        self._send(signal.SIGCONT)  # who was stopped cannot make its motors safe
        if not self._wait(GRACE):
            self._send(signal.SIGKILL)
            self._wait(GRACE)
        return {name: child.returncode for name, child in self.children.items()}

    def _send(self, number: signal.Signals) -> None:
        for child in self.children.values():
            if child.poll() is None:
                child.send_signal(number)

    def _wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        for child in self.children.values():
            try:
                child.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                return False
        return True


def command(node: NodeSpec, directory: Path) -> list[str]:
    """The command line of a node; its parameters go into a file in `directory`."""
    file = directory / f"{node.name}.params.yaml"
    # JSON is YAML in which every text is quoted: ROS would read a bare nan or 1e3 as a number
    file.write_text(json.dumps({"/**": {"ros__parameters": dict(node.parameters)}}, indent=1))
    executable = Path(get_package_prefix(node.package)) / "lib" / node.package / node.executable
    arguments: list[Any] = [executable, *node.arguments, "--ros-args", "-r", f"__node:={node.name}"]
    if node.namespace:
        arguments += ["-r", f"__ns:=/{node.namespace.strip('/')}"]
    for old, new in node.remappings:
        arguments += ["-r", f"{old}:={new}"]
    return [str(part) for part in [*arguments, "--params-file", file, "--log-level", node.log_level]]


def end_with_parent() -> None:
    """In the child: be told to end when the parent dies, however it dies."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == 1:
        os._exit(1)
