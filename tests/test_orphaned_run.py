"""A run whose command line or nodes are stopped, hang or are killed ends safe, with a report and an exit code.

Real processes.
"""

import contextlib
import fcntl
import json
import os
import pty
import signal
import subprocess
import termios
from pathlib import Path

import pytest
from stack_helpers import DEADLINE_S, LOW_RATE_HZ, child_pids, is_alive, wait_for
from std_srvs.srv import Trigger

from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.run_log.log import RunLog

SLOW_RATE = ("--set", f"backend.rate={LOW_RATE_HZ}")


class Run:
    """`crawler run` that tracks a gait."""

    def __init__(self, crawler, directory, *arguments, stderr=subprocess.PIPE, **options):
        self.directory = directory / "run"
        words = [*crawler, "run", "--duration", "0", "--no-picture", *SLOW_RATE, *arguments]
        words += ["--out", str(self.directory)]
        self.process = subprocess.Popen(words, **{"stdout": subprocess.PIPE, "stderr": stderr, "text": True, **options})
        wait_for(lambda: "tracking" in self.log("controller"))
        self.nodes = child_pids(self.process.pid)
        assert len(self.nodes) == 3

    def log(self, node):
        file = self.directory / "logs" / f"{node}.log"
        return file.read_text() if file.exists() else ""

    def node(self, name):
        return next(pid for pid in self.nodes if f"__node:={name}" in Path(f"/proc/{pid}/cmdline").read_text())

    @property
    def fault(self):
        return json.loads((self.directory / "summary.json").read_text())["fault"]

    def end(self):
        """Return its stderr; no process may be left."""
        _, errors = self.process.communicate(timeout=DEADLINE_S)
        wait_for(lambda: not any(is_alive(pid) for pid in self.nodes))
        for text in (errors or "", *(file.read_text() for file in self.directory.glob("logs/*.log"))):
            assert "Traceback" not in text
        return errors


def test_a_command_line_that_is_stopped_ends_the_motors(crawler, tmp_path):
    run = Run(crawler, tmp_path, "--backend", "mock")
    backend = run.node("backend")
    run.process.send_signal(signal.SIGSTOP)
    wait_for(lambda: not is_alive(backend))
    assert f"its parent process {run.process.pid} is stopped" in run.log("backend")
    run.process.send_signal(signal.SIGCONT)
    errors = run.end()
    assert run.process.returncode == 1
    assert "the node 'backend' ended" in errors
    assert "so nothing supervises the motors" in errors
    assert "the node 'backend' ended" in run.fault


def test_a_simulation_goes_on_while_its_command_line_is_stopped_and_fails_by_an_emergency_stop(
    long_timeouts, crawler, tmp_path
):
    stderr_file = tmp_path / "stderr.txt"
    with stderr_file.open("w") as stderr:
        run = Run(crawler, tmp_path, "--backend", "model", stderr=stderr)
    with StackMonitor(log=(log := RunLog())) as view:
        assert view.wait(lambda: log.base.poses, DEADLINE_S)
        run.process.send_signal(signal.SIGSTOP)
        view.drain()
        enough = log.base.now + 1.5  # s, twice of what ends motors; simulated time is no faster than the clock
        assert view.wait(lambda: log.base.now > enough, DEADLINE_S)
        run.process.send_signal(signal.SIGCONT)
        assert view.call(Trigger, "backend/estop", Trigger.Request(), DEADLINE_S, discovery_s=DEADLINE_S).success
    wait_for(lambda: "motion: e-stopped" in stderr_file.read_text())  # the command line has received it, too
    run.process.send_signal(signal.SIGTSTP)  # Ctrl-Z ends any run
    run.end()
    assert run.process.returncode == 1
    assert "the robot was e-stopped during the run" in stderr_file.read_text()


def test_a_terminal_that_goes_away_ends_the_motors_and_leaves_a_summary(long_timeouts, crawler, tmp_path):
    ours, theirs = pty.openpty()

    def take_terminal():
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup may ignore it in these tests
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    run = Run(crawler, tmp_path, "--backend", "mock", start_new_session=True, preexec_fn=take_terminal, **streams)
    os.close(theirs)
    os.close(ours)
    run.end()
    assert run.process.returncode == 128 + signal.SIGHUP
    assert run.fault == ""


@pytest.mark.exhaustive  # test_node_main.py shows it of one node
@pytest.mark.parametrize("backend", ["mock", "model"])
def test_nodes_report_the_death_of_their_command_line(long_timeouts, crawler, tmp_path, backend):
    run = Run(crawler, tmp_path, "--backend", backend)
    os.kill(run.process.pid, signal.SIGKILL)
    run.end()
    for node in ("backend", "gait", "controller"):
        assert f"its parent process {run.process.pid} is gone: ending" in run.log(node)


@pytest.fixture
def full_pipe():
    """Return the end of a full pipe: a process that writes into it hangs."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, bytes(4096))
    os.set_blocking(write, True)
    yield write
    os.close(write)
    os.close(read)


@pytest.mark.exhaustive  # test_loop_watchdog.py shows it without a stack
@pytest.mark.parametrize(("backend", "number", "code"), [("mock", 0, 1), ("model", signal.SIGINT, 130)])
def test_a_hanging_command_line_ends_motors_at_once_and_simulations_on_sigint(
    crawler, tmp_path, full_pipe, backend, number, code
):
    run = Run(crawler, tmp_path, "--backend", backend, "--duration", "600", stderr=full_pipe)
    if number:
        run.process.send_signal(number)
    run.end()
    assert run.process.returncode == code


@pytest.mark.exhaustive  # the first test shows it of a node that ends
@pytest.mark.parametrize(
    ("node", "number", "words"),
    [
        ("backend", signal.SIGSTOP, "the node 'backend' was stopped"),
        ("gait", signal.SIGSTOP, "the node 'gait' was stopped"),
        ("controller", signal.SIGKILL, "the node 'controller' ended with exit code -9"),
    ],
)
def test_a_node_that_is_stopped_or_killed_makes_the_run_a_failure(crawler, tmp_path, node, number, words):
    run = Run(crawler, tmp_path, "--backend", "mock")
    os.kill(run.node(node), number)
    errors = run.end()
    assert run.process.returncode == 1
    assert words in errors
    assert words in run.fault
