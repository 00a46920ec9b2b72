"""A second stack on the same network: rejected under the same names, accepted in a namespace. Real processes."""

import json
import re
import subprocess
import sys

import pytest
from stack_helpers import DEADLINE_S, LOW_RATE_HZ, PROCESS_TIMEOUT_S, lockstep_settings, set_timeouts

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.run.node_processes import node_command
from crawler_testing.fixtures.running_stack import RunningStack


@pytest.fixture(scope="module")
def first():
    """Start a stack that crawls in real time; return a check that it goes on.

    If it was not `alone`, the test may have received states of both stacks until the second one ended.
    """
    with RunningStack(Options(backend="model", settings=lockstep_settings(1.0, rate=LOW_RATE_HZ))) as stack:

        def goes_on(*, alone=True):
            since = stack.log.time
            stack.wait_until(lambda: stack.log.time > since + 0.3, DEADLINE_S)
            assert stack.log.time > since
            assert not (alone and stack.log.went_back)
            stack.log.went_back = False
            assert stack.log.status.motion == "active"

        stack.wait_until(lambda: stack.log.base.distance > 0.0, DEADLINE_S)
        yield goes_on


def run(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=DEADLINE_S)


@pytest.fixture
def long_discovery():
    """Let new runs look for a stack as long as a busy machine needs to show it."""
    with set_timeouts({"crawler_nodes.transport.duplicate_stack_check": {"DISCOVERY_S": PROCESS_TIMEOUT_S}}):
        yield


def test_a_second_run_is_rejected_before_anything_starts(long_discovery, crawler, tmp_path, first):
    second = run(*crawler, "run", "--backend", "model", "--duration", "1", "--out", tmp_path / "second")
    assert second.returncode == 2
    remedy = r"stop it, use --namespace NAME, or set another ROS_DOMAIN_ID\."
    assert re.fullmatch(rf"crawler: a stack already runs in this namespace \(/.*\): {remedy}\n", second.stderr)
    assert not (tmp_path / "second").exists()
    first()


def test_a_second_backend_is_rejected(tmp_path, first):
    backend = make_stack(Options(backend="model")).nodes[0]
    second = run(*node_command(backend, tmp_path))
    assert second.returncode == 2
    assert "a stack already runs in this namespace (/backend" in second.stderr
    first(alone=False)  # it started without a check, and a busy machine may have shown it the first stack late


@pytest.mark.exhaustive  # one that discovers it in time is in every run
def test_a_run_that_discovers_the_other_late_is_rejected(tmp_path, first):
    late = (
        "from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck; "
        "DuplicateStackCheck.raise_if_duplicate = lambda *_: None"
    )
    main = "import runpy; runpy.run_module('crawler_cli', run_name='__main__', alter_sys=True)"
    words = ["run", "--backend", "model", "--duration", DEADLINE_S, "--out", tmp_path / "second"]
    second = run(sys.executable, "-c", f"{late}; {main}", *words)
    assert second.returncode == 2
    assert re.search(
        r"^crawler: a stack already runs in this namespace \(/.*--namespace NAME.*", second.stderr, re.MULTILINE
    )
    first(alone=False)


def test_a_run_in_a_namespace_is_accepted(long_timeouts, crawler, tmp_path, first):
    words = ["run", "--backend", "model", "--lockstep", "--duration", "1", "--namespace", "b", "--json", "--no-picture"]
    for name in ("backend.lockstep_timeout", "controller.reference_timeout"):
        words += ["--set", f"{name}={PROCESS_TIMEOUT_S}"]
    beside = run(*crawler, *words, "--out", tmp_path / "beside")
    assert "Traceback" not in beside.stderr
    output = json.loads(beside.stdout)
    assert output["ticks"] > 0
    assert not output["fault"], beside.stderr
    assert (tmp_path / "beside" / "summary.json").exists()
    first()
