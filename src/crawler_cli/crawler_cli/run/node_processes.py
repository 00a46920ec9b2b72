"""Run the nodes of a stack as child processes that never outlive their parent."""

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

PR_SET_PDEATHSIG = 1  # of prctl(2)
KILL_DELAY_S = 1.7  # from SIGTERM to SIGKILL: every process ends within 2 s


class NodeProcesses:
    """Starts nodes, monitors them and ends them; leaves out those that only a ROS 2 install has."""

    def __init__(self, nodes: Sequence[NodeSpec], directory: Path) -> None:
        self._directory = directory
        self._nodes = [node for node in nodes if not node.installed_with_ros]
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self._stop_detectors: dict[str, StoppedProcessDetector] = {}

    def start(self) -> None:
        """Start every node; its output goes to <directory>/<name>.log."""
        self._directory.mkdir(parents=True, exist_ok=True)
        for node in self._nodes:
            with (self._directory / f"{node.name}.log").open("wb") as log:
                child = subprocess.Popen(
                    node_command(node, self._directory),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **parent_environment(), **node.environment},
                    start_new_session=True,  # Ctrl-C reaches only the parent, which ends the children in its own order
                    preexec_fn=end_with_parent,
                )
            self.children[node.name] = child
            self._stop_detectors[node.name] = StoppedProcessDetector(child.pid)

    def ended(self) -> dict[str, int]:
        """Return the nodes that have ended, with their exit codes."""
        return {name: child.returncode for name, child in self.children.items() if child.poll() is not None}

    def stopped(self) -> list[str]:
        """Return the nodes that SIGSTOP or a debugger has held for a while."""
        return [name for name, is_stopped in self._stop_detectors.items() if is_stopped()]

    def last_lines(self, name: str, count: int = 6) -> str:
        """Return the end of a node's log."""
        file = self._directory / f"{name}.log"
        text = file.read_text(errors="replace").strip()
        return "\n".join(text.splitlines()[-count:]) or f"(its log {file} is empty)"

    def stop(self) -> dict[str, int]:
        """End every node, with SIGTERM and then SIGKILL. Return the exit codes."""
        self._send(signal.SIGTERM)  # SIGINT would print a traceback in a node that still imports
        self._send(signal.SIGCONT)  # a stopped node could not disable its motors
        if not self._wait(KILL_DELAY_S):
            self._send(signal.SIGKILL)
            self._wait(KILL_DELAY_S)
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


def node_command(node: NodeSpec, directory: Path) -> list[str]:
    """Return the command line of a node; its parameters go into a file in `directory`."""
    file = directory / f"{node.name}.params.yaml"
    # JSON is YAML with every text quoted: ROS would read a bare nan or 1e3 as a number
    file.write_text(json.dumps({"/**": {"ros__parameters": dict(node.parameters)}}, indent=1))
    executable = Path(get_package_prefix(node.package)) / "lib" / node.package / node.executable
    arguments: list[Any] = [executable, *node.arguments, "--ros-args", "-r", f"__node:={node.name}"]
    if node.namespace:
        arguments += ["-r", f"__ns:=/{node.namespace.strip('/')}"]
    for old, new in node.remappings:
        arguments += ["-r", f"{old}:={new}"]
    return [str(part) for part in [*arguments, "--params-file", file, "--log-level", node.log_level]]


def end_with_parent() -> None:
    """Let the kernel send SIGTERM to this child when its parent dies."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == 1:
        os._exit(1)
