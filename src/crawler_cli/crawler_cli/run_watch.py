"""One run, from the start of its processes to their end."""

from __future__ import annotations

import math
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from crawler_bringup.stack import Stack
from crawler_cli.processes import Processes
from crawler_cli.status import StatusLine
from crawler_nodes.ring_view import RingView
from crawler_nodes.run_log import RunLog

START_UP = 30.0  # s until the first state must have come
USAGE = 2  # exit code of a node that refuses its input
LOOK = 0.04  # s between two looks at the ring
LAST_WORDS = 0.1  # s that are listened on: the last diagnostics carry the counters


@dataclass
class Outcome:
    """How a run went."""

    log: RunLog
    failure: str = ""
    refusal: str = ""  # a node's sentence on what the user can put right
    interrupted: int = 0  # by this signal; 0: not
    start_up: float = math.nan  # s until the first state came
    wall: float = math.nan  # s of wall time from there to the end


def watch(stack: Stack, directory: Path, quiet: bool) -> Outcome:
    """Run the stack for as long as it shall last, showing how it goes unless `quiet`. Its logs go to `directory`."""
    outcome = Outcome(RunLog.of(stack.spec))
    processes = Processes([node for node in stack.nodes if not node.installed_with_ros], directory / "logs")

    def hear(number: int, _frame: object) -> None:
        outcome.interrupted = number  # no exception: one that comes while a message is made ends as another one

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, hear)
    try:
        processes.start()
        _Watch(stack, processes, outcome).run(quiet)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # the end is on its way; a second Ctrl-C must not leave orphans
        processes.stop()
    return outcome


class _Watch:
    """Looks at the ring until it is done, or something went wrong."""

    def __init__(self, stack: Stack, processes: Processes, outcome: Outcome) -> None:
        self._stack = stack
        self._processes = processes
        self._outcome = outcome
        self._log = outcome.log
        self._began = time.monotonic()
        self._first_state = self._began

    def run(self, quiet: bool) -> None:
        status = StatusLine(self._stack, self._log, quiet=quiet)
        with RingView(log=self._log, namespace=self._stack.options.namespace) as view, status:
            while not self._done(view):
                status.update()
                time.sleep(LOOK)
            self._outcome.wall = time.monotonic() - self._first_state
            view.wait(lambda: False, LAST_WORDS)

    def _done(self, view: RingView) -> bool:
        view.drain()
        elapsed = time.monotonic() - self._began
        outcome, duration = self._outcome, self._stack.duration
        if self._log.states and math.isnan(outcome.start_up):
            outcome.start_up = elapsed
            self._first_state = time.monotonic()
        if outcome.interrupted:
            return True
        self._check(view, elapsed)
        if outcome.failure or outcome.refusal or (duration and self._log.time >= duration - 1e-6):
            return True
        if elapsed > outcome.start_up + 2.0:
            import crawler_cli.picture  # noqa: F401  loaded while there is time, so that the end is quick
        return False

    def _check(self, view: RingView, elapsed: float) -> None:
        log, outcome = self._log, self._outcome
        for name, code in self._processes.ended().items():
            if code == USAGE and not log.states:
                outcome.refusal = self._processes.last_words(name, lines=1).partition(": ")[2]
                return
            outcome.failure = f"the node '{name}' ended with exit code {code}:\n{self._processes.last_words(name)}"
        if view.node.count_publishers("joint_states") > 1:
            outcome.failure = (
                "something else publishes joint_states here, perhaps another run: "
                "give this one --namespace NAME or another ROS_DOMAIN_ID."
            )
        if not log.states and elapsed > START_UP:
            outcome.failure = f"no joint state came within {START_UP:g} s:\n{self._processes.last_words('backend')}"
        if log.motion == "faulted":
            remedy = log.backend.get("remedy", "")
            fault = log.troubles.get("backend", "a fault stopped the robot")
            outcome.failure = f"{fault.rstrip('.')}; {remedy.rstrip('.')}."
