"""A run whose command line is stopped, hangs or is killed: motors are made safe all the same. Real processes."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from rings import LONG


def wait_for(condition):
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Run:
    """`crawler run` that tracks a gait."""

    def __init__(self, crawler, directory, *arguments):
        self.logs = directory / "run" / "logs"
        words = [*crawler, "run", "--duration", "0", "--json", "--out", str(directory / "run"), *arguments]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: "tracking" in self.log("controller"))
        pids = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        self.nodes = [int(pid) for pid in pids]
        assert len(self.nodes) == 3

    def log(self, node):
        file = self.logs / f"{node}.log"
        return file.read_text() if file.exists() else ""

    @property
    def backend(self):
        return next(pid for pid in self.nodes if "_backend" in Path(f"/proc/{pid}/cmdline").read_text())

    def end(self):
        """What it prints on stderr; nobody may be left."""
        _, errors = self.process.communicate(timeout=LONG)
        wait_for(lambda: not any(alive(pid) for pid in self.nodes))
        for text in (errors, *(file.read_text() for file in self.logs.glob("*.log"))):
            assert "Traceback" not in text
        return errors


def test_a_command_line_that_is_stopped_ends_the_motors(crawler, tmp_path):
    run = Run(crawler, tmp_path, "--backend", "mock")
    backend = run.backend
    run.process.send_signal(signal.SIGSTOP)
    wait_for(lambda: not alive(backend))
    assert f"process {run.process.pid}, which had started it, is stopped" in run.log("backend")
    run.process.send_signal(signal.SIGCONT)
    errors = run.end()
    assert run.process.returncode == 1
    assert "the node 'backend' ended" in errors
    assert "does not look after the motors" in errors


def test_a_simulation_goes_on_while_its_command_line_is_stopped(crawler, tmp_path):
    run = Run(crawler, tmp_path, "--backend", "model")
    run.process.send_signal(signal.SIGSTOP)
    time.sleep(1.5)  # twice of what ends motors; a machine that is too busy to show it only lets this pass
    run.process.send_signal(signal.SIGCONT)
    run.process.send_signal(signal.SIGINT)
    run.end()
    assert run.process.returncode == 0


def test_ctrl_z_ends_the_run(crawler, tmp_path):
    run = Run(crawler, tmp_path, "--backend", "mock")
    run.process.send_signal(signal.SIGTSTP)
    run.end()
    assert run.process.returncode == 0


@pytest.mark.parametrize("backend", ["mock", "model"])
def test_the_nodes_say_why_they_end_when_their_command_line_is_killed(crawler, tmp_path, backend):
    run = Run(crawler, tmp_path, "--backend", backend)
    os.kill(run.process.pid, signal.SIGKILL)
    run.end()
    for node in ("backend", "gait", "controller"):
        assert f"process {run.process.pid}, which had started it, is gone: ending" in run.log(node)
