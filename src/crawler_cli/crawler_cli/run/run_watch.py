"""One run, from the start of its processes to their end."""

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
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.interruption import was_interrupted
from crawler_cli.run.loop_watchdog import LoopWatchdog
from crawler_cli.run.node_processes import NodeProcesses
from crawler_cli.run.status_line import StatusLine
from crawler_core.errors import UserError
from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.transport.duplicate_stack_check import DUPLICATE_STACK

START_UP = 30.0  # s until the first state must have come
FAILED = 1  # exit code of a run that did not come to its end
USAGE = 2  # exit code of a node that refuses its input
LOOK = 0.04  # s between two looks at the ring
LAST_WORDS = 0.1  # s that are listened on: the last diagnostics carry the counters
SILENT = 2.5  # s without a word of a node, which says one every second, until that is shown
HUNG = 10.0  # s until the run ends for it
STANDS = 5.0  # s that a backend may be inactive until the run ends for it
TORQUE_OFF = 10.0  # s that a backend whose motors do not listen may go on trying to take their torque off
AFTER_START = 2.0  # s after the first state, when there is time to load what the end needs
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)  # a robot cannot be left standing by Ctrl-Z


@dataclass
class RunOutcome:
    """How a run went."""

    log: RunLog
    failure: str = ""
    refusal: str = ""  # a node's sentence on what the user can put right
    interrupted: int = 0  # by this signal; 0: not
    start_up: float = math.nan  # s until the first state came
    wall: float = math.nan  # s of wall time from there to the end


def watch(stack: Stack, directory: Path, quiet: bool, draws: bool = False) -> RunOutcome:
    """Run the stack for as long as it shall last, showing how it goes unless `quiet`. Its logs go to `directory`.

    `draws`: a picture follows, and what that needs is loaded meanwhile.

    Raises UserError where the logs cannot be written.
    """
    outcome = RunOutcome(RunLog.of(stack.spec))
    processes = NodeProcesses(stack.nodes, directory / "logs")

    def hear(number: int, _frame: object) -> None:
        outcome.interrupted = number  # no exception: one that comes while a message is made ends as another one

    for number in ENDING:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, hear)
    if was_interrupted():
        outcome.interrupted = signal.SIGINT
    moves = not BACKENDS[stack.options.backend].simulated
    try:
        processes.start()
        with LoopWatchdog(processes.stop, ENDING, moves) as overseer:
            _Watch(stack, processes, outcome, draws).run(quiet, overseer)
    except OSError as error:
        raise UserError(f"{error.filename or directory} cannot be written: {error.strerror}.") from None
    finally:
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)  # the end is on its way; a second Ctrl-C must not leave orphans
        processes.stop()
    return outcome


def run_through(stack: Stack, directory: Path, quiet: bool) -> int:
    """A run that is made for what it leaves in the new `directory`: 0, or the exit code, once why has been said.

    Raises UserError where a node refuses what the user can put right.
    """
    directory.mkdir(parents=True)
    outcome = watch(stack, directory, quiet)
    if outcome.refusal:
        raise UserError(outcome.refusal)
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    if outcome.failure:
        print(f"crawler: {outcome.failure}", file=sys.stderr)
        return FAILED
    return 0


class _Watch:
    """Looks at the ring until it is done, or something went wrong."""

    def __init__(self, stack: Stack, processes: NodeProcesses, outcome: RunOutcome, draws: bool) -> None:
        self._stack = stack
        self._processes = processes
        self._outcome = outcome
        self._log = outcome.log
        self._bystanders = {node.name for node in stack.nodes if node.is_optional}
        self._began = self._looked = time.monotonic()
        self._first_state = self._began
        self._active = self._began  # when the backend was so last
        self._faulted = math.nan  # when a fault stopped the robot
        self._loads = draws  # still has to

    def run(self, quiet: bool, overseer: LoopWatchdog) -> None:
        status = StatusLine(self._stack, self._log, quiet=quiet)
        with StackMonitor(log=self._log, namespace=self._stack.options.namespace) as view, status:
            while not self._done(view):
                overseer.turn()
                status.update()
                time.sleep(LOOK)
            self._outcome.wall = time.monotonic() - self._first_state
            view.wait(lambda: False, LAST_WORDS)

    def _done(self, view: StackMonitor) -> bool:
        view.drain()
        now = time.monotonic()
        outcome = self._outcome
        if self._log.states and math.isnan(outcome.start_up):
            outcome.start_up = now - self._began
            self._first_state = now
        if outcome.interrupted:
            return True
        self._check(now)
        if outcome.refusal or (outcome.failure and not self._torque_may_be_on(now)) or self._at_the_end:
            return True
        if now - self._began > outcome.start_up + AFTER_START and self._loads:
            self._loads = False  # in a thread: a signal must not come in the middle of it
            threading.Thread(target=importlib.import_module, args=("crawler_cli.plots.run_plot",), daemon=True).start()
        return False

    @property
    def _at_the_end(self) -> bool:
        duration = self._stack.duration
        return bool(duration) and (self._log.time >= duration - 1e-6 or self._log.backend.get("finished") == "True")

    def _check(self, now: float) -> None:
        log, outcome = self._log, self._outcome
        for name, code in self._processes.ended().items():
            if name in self._bystanders:
                log.troubles[name] = f"it ended with exit code {code}: {self._processes.last_words(name, lines=1)}"
                continue
            words = self._processes.last_words(name, lines=1).partition(": ")[2]
            if code == USAGE and (not log.states or words.startswith(DUPLICATE_STACK)):  # the states of that ring are no run
                outcome.refusal = words
                return
            said = f"ended with exit code {code}:\n{self._processes.last_words(name)}"
            if code == USAGE and name in log.troubles:  # where there is no room its log lacks that
                said = f"gave up: {log.troubles[name]}"
            outcome.failure = f"the node '{name}' {said}"
        for name in set(self._processes.stopped()) - self._bystanders:
            outcome.failure = (
                f"the node '{name}' was stopped, by SIGSTOP or a debugger: start the run again without that."
            )
        self._listen(now)
        if not log.states and now - self._began > START_UP:
            outcome.failure = f"no joint state came within {START_UP:g} s:\n{self._processes.last_words('backend')}"
        if log.motion == "faulted":
            remedy = log.backend.get("remedy", "")
            fault = log.troubles.get("backend", "a fault stopped the robot")
            outcome.failure = f"{fault.rstrip('.')}; {remedy.rstrip('.')}."

    def _listen(self, now: float) -> None:
        """Whether every node has said a word of late; the time in which nobody listened does not count."""
        log = self._log
        if now - self._looked > 10.0 * LOOK:
            log.reported = dict.fromkeys(log.reported, now)
            self._active = now
        self._looked = now
        if not log.states or log.backend.get("active") != "False":
            self._active = now
        elif now - self._active > STANDS:
            why = log.troubles.get("backend", "see its log").rstrip(".")
            self._outcome.failure = f"the robot's time has stood still for {STANDS:g} s: {why}."
        for name in self._processes.children:
            silence = now - log.reported.get(name, now)
            if silence > SILENT:
                log.troubles[name] = f"it has said nothing for {silence:.0f} s"
            if silence > HUNG:
                self._outcome.failure = (
                    f"the node '{name}' hangs, it has said nothing for {silence:.0f} s: see its log, and start again."
                )

    def _torque_may_be_on(self, now: float) -> bool:
        """Whether a fault has left torque on that the backend still tries to take off: then it must not be ended."""
        if self._log.motion != "faulted" or self._log.backend.get("torque_off") != "False":
            return False
        if math.isnan(self._faulted):
            self._faulted = now
            print(f"crawler: {self._outcome.failure} Trying on for {TORQUE_OFF:g} s.", file=sys.stderr, flush=True)
        return now - self._faulted < TORQUE_OFF and not self._processes.ended()
