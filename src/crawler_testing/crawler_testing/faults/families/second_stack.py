"""A second stack, or a second node of one kind, on the same network."""

from __future__ import annotations

import os
import signal
import subprocess

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.run.node_processes import node_command
from crawler_testing.faults.fault_kind import FaultKind, expect_crawl
from crawler_testing.fixtures.run_harness import ExpectationFailed, RunHarness

SECOND_RUN_S = 2.0
SECOND_TIMEOUT_S = 30.0  # until the second one has ended, or been reported
OBSERVED_S = 1.0  # with the second node present


def _run_second(run: RunHarness, *arguments: str) -> tuple[int, str]:
    """Run a second stack on mock motors; return its exit code and its stderr."""
    words = ["--backend", "mock", "--duration", f"{SECOND_RUN_S:g}", "--out", str(run.directory / "second"), *arguments]
    second = run.start(words, "second")
    return _wait_for_end(run, second, "run")


def _wait_for_end(run: RunHarness, second: subprocess.Popen[bytes], what: str) -> tuple[int, str]:
    run.require(lambda: second.poll() is not None, SECOND_TIMEOUT_S, f"the second {what} did not end")
    return second.returncode, run.stderr("second")


def _second_run(run: RunHarness) -> None:
    code, stderr = _run_second(run)
    if code != 2 or "--namespace" not in stderr:
        last = " ".join(stderr.strip().splitlines()[-1:])
        raise ExpectationFailed(f"the second run was not rejected with exit code 2 and --namespace: {code}, {last}")


def _other_namespace(run: RunHarness) -> None:
    code, stderr = _run_second(run, "--namespace", "other")
    if code:
        raise ExpectationFailed(f"the run in another namespace ended with exit code {code}: {stderr}")


def _start_second_node(run: RunHarness, node: str) -> subprocess.Popen[bytes]:
    """Start a second node of a kind under another name, as from another machine."""
    stack = make_stack(Options(robot=run.spec.name, backend="mock"))
    spec = next(one for one in stack.nodes if one.name == node)
    words = [word.replace(f"__node:={node}", f"__node:=second_{node}") for word in node_command(spec, run.directory)]
    with (run.directory / "second.err").open("wb") as log:
        return subprocess.Popen(words, stdout=log, stderr=log, env=run.environment, start_new_session=True)


def _second_backend(run: RunHarness) -> None:
    code, stderr = _wait_for_end(run, _start_second_node(run, "backend"), "backend")
    if code != 2 or "already" not in stderr:
        raise ExpectationFailed(f"the second backend was not rejected: it ended with exit code {code}")


def _second_node_fault(node: str) -> FaultKind:
    name = f"second_{node}"

    def inject(run: RunHarness) -> None:
        child = _start_second_node(run, node)
        try:
            run.require(lambda: run.monitor.has_reported((name,), 0.0), SECOND_TIMEOUT_S, f"{name} was not reported")
            run.wait(OBSERVED_S)
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()

    expected = expect_crawl(name, text="ignored and reported; crawls on")
    return FaultKind(f"second_stack/{node}", f"a second {node} node", expected, inject)


BOTH_CRAWL = expect_crawl(text="both crawl")
REJECTED = expect_crawl(text="rejected; the first crawls on")
SECOND_STACK_FAULTS = (
    FaultKind("second_stack/same_names", "a second run under the same names", REJECTED, _second_run),
    FaultKind("second_stack/namespace", "a second run in a namespace", BOTH_CRAWL, _other_namespace),
    _second_node_fault("gait"),
    _second_node_fault("controller"),
    FaultKind("second_stack/backend", "a second backend node", REJECTED, _second_backend),
)
