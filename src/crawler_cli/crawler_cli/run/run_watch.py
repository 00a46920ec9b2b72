"""Run a stack from the start of its processes to their end."""

from __future__ import annotations

import importlib
import math
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.stack import Stack
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE, EXIT_USAGE
from crawler_cli.console.interruption import drop_terminal, was_interrupted
from crawler_cli.run.loop_watchdog import LoopWatchdog
from crawler_cli.run.node_processes import NodeProcesses
from crawler_cli.run.status_line import StatusLine
from crawler_core.errors import UserError
from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.run_log.log import SAMPLE_PERIOD_S, RunLog
from crawler_nodes.shutdown.end_signals import end_signals
from crawler_nodes.transport.duplicate_stack_check import DUPLICATE_STACK

START_TIMEOUT_S = 30.0  # until the first state
POLL_PERIOD_S = 0.04
DRAIN_TIME_S = 0.1  # after the end: the last diagnostics carry the counters
MAX_DRAIN_TIME_S = 3.0  # the same, where the last pose of the base is still missing
REPORT_WARNING_S = 2.5  # without diagnostics of a node, which come every second
REPORT_TIMEOUT_S = 10.0  # the same, until the run ends
INACTIVE_TIMEOUT_S = 5.0  # that a backend may be inactive until the run ends
TORQUE_OFF_TIMEOUT_S = 10.0  # that a backend may go on trying to disable the torque of motors that do not answer
PRELOAD_DELAY_S = 2.0  # after the first state: time to import what the end of the run needs


@dataclass
class RunOutcome:
    """Log and end of a run."""

    log: RunLog
    failure: str = ""
    input_error: str = ""  # a node's sentence about input that the user can correct
    interrupted: int = 0  # number of the signal that ended it; 0: none
    start_up: float = math.nan  # s until the first state
    wall: float = math.nan  # s of wall time from there to the end


def watch(
    stack: Stack, directory: Path, quiet: bool, draws: bool = False, sample_period: float = SAMPLE_PERIOD_S
) -> RunOutcome:
    """Run the stack to its end. Show the status unless `quiet`; the nodes' logs go to `directory`.

    With `draws` a picture follows, and the run imports what that needs in the meantime. The log takes a sample of the
    joints each `sample_period` (s), of every state with 0. Raises UserError if the logs cannot be written.
    """
    outcome = RunOutcome(RunLog.of(stack.spec, sample_period))
    processes = NodeProcesses(stack.nodes, directory / "logs")

    def on_signal(number: int, _frame: object) -> None:
        drop_terminal(number)
        outcome.interrupted = number  # no exception: inside a message's code it would turn into another error

    numbers = (*end_signals(), signal.SIGTSTP)  # Ctrl-Z must not leave motors powered
    for number in numbers:
        signal.signal(number, on_signal)
    if was_interrupted():
        outcome.interrupted = signal.SIGINT
    drives_motors = not BACKENDS[stack.options.backend].simulated
    try:
        processes.start()
        with LoopWatchdog(processes.stop, numbers, drives_motors) as watchdog:
            RunWatch(stack, processes, outcome, draws).run(quiet, watchdog)
    except OSError as error:
        if outcome.interrupted != signal.SIGHUP:  # which a line on the terminal that is gone may precede
            raise UserError(f"{error.filename or directory} cannot be written: {error.strerror}.") from None
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C must not leave orphans
        processes.stop()
    return outcome


def run_to_end(stack: Stack, directory: Path, quiet: bool) -> int:
    """Run the stack for the files that it leaves in the new `directory`. Print why it failed; return the exit code.

    Raises UserError if a node rejects the user's input.
    """
    directory.mkdir(parents=True)
    outcome = watch(stack, directory, quiet)
    if outcome.input_error:
        raise UserError(outcome.input_error)
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    if outcome.failure:
        print(f"crawler: {outcome.failure}", file=sys.stderr)
        return EXIT_NOT_DONE
    return 0


class RunWatch:
    """Monitors the running stack until its duration is over or something fails."""

    def __init__(self, stack: Stack, processes: NodeProcesses, outcome: RunOutcome, draws: bool) -> None:
        self._stack = stack
        self._processes = processes
        self._outcome = outcome
        self._log = outcome.log
        self._optional_nodes = {node.name for node in stack.nodes if node.is_optional}
        self._must_preload = draws
        self._start_time = self._last_poll = self._first_state = time.monotonic()
        self._last_active = self._start_time  # when the backend was active
        self._fault_time = math.nan

    def run(self, quiet: bool, watchdog: LoopWatchdog) -> None:
        """Poll until the run is over."""
        status = StatusLine(self._stack, self._log, quiet=quiet)
        with StackMonitor(log=self._log, namespace=self._stack.options.namespace) as monitor, status:
            while not self._is_over(monitor):
                watchdog.feed()
                status.update()
                time.sleep(POLL_PERIOD_S)
            self._outcome.wall = time.monotonic() - self._first_state
            monitor.wait(lambda: False, DRAIN_TIME_S)
            monitor.wait(self._has_last_pose, MAX_DRAIN_TIME_S)

    def _is_over(self, monitor: StackMonitor) -> bool:
        monitor.drain()
        now = time.monotonic()
        outcome = self._outcome
        if self._log.states and math.isnan(outcome.start_up):
            outcome.start_up = now - self._start_time
            self._first_state = now
        if outcome.interrupted:
            return True
        self._check_processes()
        if outcome.input_error:
            return True
        self._check_reports(now)
        self._check_robot(now)
        if (outcome.failure and not self._must_wait_for_torque_off(now)) or self._has_reached_duration():
            return True
        if self._must_preload and now - self._start_time > outcome.start_up + PRELOAD_DELAY_S:
            self._must_preload = False  # in a thread: a signal must not interrupt the import
            threading.Thread(target=importlib.import_module, args=("crawler_cli.plots.run_plot",), daemon=True).start()
        return False

    def _has_last_pose(self) -> bool:
        """Return whether the last pose of the base has come, so that the distance is that of the whole run."""
        base, settings = self._log.base, self._stack.backend.settings
        is_whole = self._has_reached_duration() and not self._outcome.failure and not self._processes.ended()
        period = 1.0 / settings.odom_rate + 1.0 / settings.rate  # between two poses, at most
        return not is_whole or not base.poses or base.now > self._log.time - period + 1e-6

    def _has_reached_duration(self) -> bool:
        duration = self._stack.duration
        return bool(duration) and (
            self._log.time >= duration - 1e-6 or self._log.status.backend.get("finished") == "True"
        )

    def _check_processes(self) -> None:
        """Look for nodes that ended, or that someone stopped."""
        log, outcome = self._log, self._outcome
        for name, code in self._processes.ended().items():
            last_line = self._processes.last_lines(name, 1)
            if name in self._optional_nodes:
                log.status.warnings[name] = f"it ended with exit code {code}: {last_line}"
                continue
            sentence = last_line.partition(": ")[2]
            if code == EXIT_USAGE and (
                not log.states or sentence.startswith(DUPLICATE_STACK)
            ):  # states of another stack
                outcome.input_error = sentence
                return
            if code == EXIT_USAGE and name in log.status.warnings:  # on a full disk the log lacks the reason
                outcome.failure = f"the node '{name}' gave up: {log.status.warnings[name]}"
            else:
                last_lines = self._processes.last_lines(name)
                outcome.failure = f"the node '{name}' ended with exit code {code}:\n{last_lines}"
        for name in set(self._processes.stopped()) - self._optional_nodes:
            outcome.failure = (
                f"the node '{name}' was stopped, by SIGSTOP or a debugger: start the run again without that."
            )

    def _check_reports(self, now: float) -> None:
        """Look for nodes without diagnostics. Time in which this loop itself stood still does not count."""
        log = self._log
        if now - self._last_poll > 10.0 * POLL_PERIOD_S:
            log.status.reported_at = dict.fromkeys(log.status.reported_at, now)
            self._last_active = now
        self._last_poll = now
        for name in self._processes.children:
            silence = now - log.status.reported_at.get(name, now)
            if silence > REPORT_WARNING_S:
                log.status.warnings[name] = f"no diagnostics for {silence:.0f} s"
            if silence > REPORT_TIMEOUT_S:
                self._outcome.failure = (
                    f"the node '{name}' hangs, no diagnostics for {silence:.0f} s: see its log, and start again."
                )

    def _check_robot(self, now: float) -> None:
        """Look for a robot that does not start, whose time stands still, or that has a fault."""
        log, outcome = self._log, self._outcome
        if not log.states or log.status.backend.get("active") != "False":
            self._last_active = now
        elif now - self._last_active > INACTIVE_TIMEOUT_S:
            reason = log.status.warnings.get("backend", "see its log").rstrip(".")
            outcome.failure = f"the robot's time has stood still for {INACTIVE_TIMEOUT_S:g} s: {reason}."
        if not log.states and now - self._start_time > START_TIMEOUT_S:
            last_lines = self._processes.last_lines("backend")
            outcome.failure = f"no joint state came within {START_TIMEOUT_S:g} s:\n{last_lines}"
        if log.status.motion == "faulted":
            fault = log.status.warnings.get("backend", "a fault stopped the robot").rstrip(".")
            outcome.failure = f"{fault}; {log.status.backend.get('remedy', '').rstrip('.')}."

    def _must_wait_for_torque_off(self, now: float) -> bool:
        """Return whether the backend still tries to disable torque after a fault: it must not be ended then."""
        if self._log.status.motion != "faulted" or self._log.status.backend.get("torque_off") != "False":
            return False
        if math.isnan(self._fault_time):
            self._fault_time = now
            message = f"crawler: {self._outcome.failure} Trying on for {TORQUE_OFF_TIMEOUT_S:g} s."
            print(message, file=sys.stderr, flush=True)
        return now - self._fault_time < TORQUE_OFF_TIMEOUT_S and not self._processes.ended()
