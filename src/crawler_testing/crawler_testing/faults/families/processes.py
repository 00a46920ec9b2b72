"""Processes of the run that are killed, stopped, interrupted, or hang."""

from __future__ import annotations

import signal
import time
from typing import Any

from crawler_cli.run.run_watch import REPORT_TIMEOUT_S
from crawler_testing.faults.fault_kind import ExpectedOutcome, FaultKind, expect_crawl, expect_end
from crawler_testing.fixtures.run_config import REAL_TIME, SIMULATIONS, RunConfig
from crawler_testing.fixtures.run_harness import RunHarness

NODES = ("gait", "controller", "backend", "recorder")
PAUSES_S = {"50ms": 0.05, "500ms": 0.5, "5s": 5.0}
END_TIMEOUT_S = 2.0  # of all processes after the end of the first
CAN_HANG = RunConfig(can_hang=True, duration=30.0)


def _signal_fault(process: str, number: signal.Signals, expected: ExpectedOutcome) -> FaultKind:
    receiver = "`crawler run`" if process == "cli" else f"the {process} node"
    name = f"processes/{process}_{number.name[3:].lower()}"
    return FaultKind(name, f"{number.name} to {receiver}", expected, lambda run: run.send_signal(process, number))


def _node_ends(node: str) -> ExpectedOutcome:
    return expect_end(node, text=f"the run ends and reports the {node} node; exit code not 0")


def _all_end(exit_code: int, keeps_files: bool = False) -> ExpectedOutcome:
    text = f"every process ends within {END_TIMEOUT_S:g} s, exit code {exit_code}"
    return ExpectedOutcome(text, ends_within=END_TIMEOUT_S, exit_codes=(exit_code,), keeps_files=keeps_files)


def _pause_fault(
    node: str,
    duration: str,
    expected: ExpectedOutcome,
    number: signal.Signals = signal.SIGSTOP,
    label: str = "",
    **more: Any,
) -> FaultKind:
    seconds = PAUSES_S[duration]

    def inject(run: RunHarness) -> None:
        with run.stopped(node, number):
            start = time.monotonic()
            while time.monotonic() - start < seconds and not run.has_ended:
                run.wait(min(0.05, seconds))

    name = f"processes/{node}_{label or f'stopped_{duration}'}"
    return FaultKind(name, f"{number.name} for {seconds:g} s", expected, inject, **more)


def _hang_fault(node: str, expected: ExpectedOutcome, **more: Any) -> FaultKind:
    action = f"{'`crawler run`' if node == 'cli' else 'the node'} hangs in a callback"
    name = f"processes/{node}_hangs"
    return FaultKind(name, action, expected, lambda run: run.hang(node), run_config=CAN_HANG, **more)


def _hang_and_interrupt(run: RunHarness) -> None:
    run.hang("cli")
    run.wait(0.5)
    run.send_signal("cli", signal.SIGINT)


WITHIN_LIMITS = expect_crawl(text="crawls on within the limits")
MAY_BE_LATE = ExpectedOutcome(
    "crawls on within the limits; exit code 1 if commands were too late", crawls=True, exit_codes=(0, 1)
)
STOPPED = expect_end("stopped", text="the run ends and reports the stopped node; exit code not 0")
HANGS = expect_end(
    "hangs",
    "no diagnostics",
    within=REPORT_TIMEOUT_S + 5.0,
    text="the run ends and reports the node that hangs; exit code not 0",
)
CLI_HANGS = expect_end(
    "hung", within=12.0, text="motors stop, every process ends, reported; exit code not 0", keeps_files=False
)
INTERRUPTED = expect_end(
    within=2.0 * END_TIMEOUT_S, text="every process ends; exit code 130", exit_codes=(130,), keeps_files=False
)
MOTORS_STOP = ExpectedOutcome("motors stop; exit code not 0", exit_codes=None)
PROCESS_FAULTS = (
    *(
        _signal_fault(node, number, _node_ends(node))
        for node in NODES
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
    ),
    _signal_fault("cli", signal.SIGINT, _all_end(130, keeps_files=True)),
    _signal_fault("cli", signal.SIGTERM, _all_end(143)),
    _signal_fault("cli", signal.SIGKILL, _all_end(-9)),
    *(_pause_fault(node, "50ms", WITHIN_LIMITS) for node in (*NODES, "cli")),
    _pause_fault("gait", "500ms", MAY_BE_LATE),
    _pause_fault("controller", "500ms", MAY_BE_LATE),
    _pause_fault("backend", "500ms", MAY_BE_LATE),
    _pause_fault("recorder", "500ms", expect_crawl(text="the recording is complete")),
    _pause_fault("cli", "500ms", expect_crawl()),
    *(_pause_fault(node, "5s", STOPPED) for node in NODES),
    *(_hang_fault(node, HANGS) for node in NODES),
    _hang_fault("cli", CLI_HANGS, backends=REAL_TIME),
    FaultKind(
        "processes/cli_hangs_then_sigint",
        "`crawler run` hangs in a callback, then SIGINT",
        INTERRUPTED,
        _hang_and_interrupt,
        SIMULATIONS,
        CAN_HANG,
    ),
    _pause_fault("cli", "5s", MOTORS_STOP, backends=REAL_TIME),
    _pause_fault("cli", "5s", MOTORS_STOP, signal.SIGTSTP, label="tstp", backends=REAL_TIME),
)
