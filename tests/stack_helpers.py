"""Deadlines, settings and waits that the tests with running stacks share."""

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sim_bridge.physics.engines import installed_engines

PHYSICS, *_OTHER_ENGINES = installed_engines()  # the first in every run, the others in exhaustive runs
DEADLINE_S = 120.0  # that only a broken stack misses
PROCESS_TIMEOUT_S = 60.0  # of a stack, for a process that a busy machine does not run
LOW_RATE_HZ = 50.0  # of a stack whose numbers are not checked, to leave the machine to other tests

SITECUSTOMIZE = Path(__file__).with_name("sitecustomize")  # the directory of the module that sets the timeouts
# Timeouts in s by module, since they are set in other processes. They bound the start and the end of a run, or stop
# motors; only the tests of these timeouts need the real ones.
LONG_TIMEOUTS: dict[str, dict[str, float]] = {
    "crawler_bringup.recorder.recorder_node": {"SHUTDOWN_GRACE_S": PROCESS_TIMEOUT_S},
    "crawler_cli.run.loop_watchdog": {"MOTOR_LOOP_TIMEOUT_S": PROCESS_TIMEOUT_S, "STOP_TIMEOUT_S": PROCESS_TIMEOUT_S},
    "crawler_cli.run.node_processes": {"KILL_DELAY_S": PROCESS_TIMEOUT_S},
    "crawler_cli.run.run_watch": {
        "START_TIMEOUT_S": DEADLINE_S,
        "REPORT_TIMEOUT_S": PROCESS_TIMEOUT_S,
        "INACTIVE_TIMEOUT_S": PROCESS_TIMEOUT_S,
    },
    "crawler_nodes.shutdown.watchdog": {
        "LOOP_NOTICE_S": PROCESS_TIMEOUT_S,
        "CLEANUP_S": PROCESS_TIMEOUT_S,
        "FORCED_EXIT_S": PROCESS_TIMEOUT_S,
    },
    "crawler_nodes.node_main": {"ACK_TIMEOUT_S": 5.0},  # also of killed subscribers, which are known for 20 s more
    "crawler_nodes.client.stack_client": {"RESPONSE_TIMEOUT_S": PROCESS_TIMEOUT_S},
    "crawler_studies.evaluators.live_link": {"SERVICE_TIMEOUT_S": PROCESS_TIMEOUT_S},
    "hw_drivers.bus.bus_loop": {"TICK_TIMEOUT_S": PROCESS_TIMEOUT_S, "CYCLE_TIMEOUT_S": PROCESS_TIMEOUT_S},
}


@contextmanager
def set_timeouts(timeouts: Mapping[str, Mapping[str, float]] = LONG_TIMEOUTS) -> Iterator[None]:
    """Set timeouts by module, in all processes that are started within the context, and in their children."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEST_TIMEOUTS", json.dumps(timeouts))
        patch.setenv("PYTHONPATH", str(SITECUSTOMIZE), prepend=os.pathsep)
        yield


def lockstep_settings(factor=0.0, *, law=None, reference_timeout=PROCESS_TIMEOUT_S, **backend):
    """Return settings with which no message is too late, however long a process has to wait for the machine.

    `factor` is the real-time factor; `law` and `backend` are further settings of the controller and the backend.
    """
    return {
        "backend": {"lockstep": True, "real_time_factor": factor, "lockstep_timeout": PROCESS_TIMEOUT_S, **backend},
        "controller": {"reference_timeout": reference_timeout, **(law or {})},
    }


def wait_for(condition):
    """Wait until a condition holds, without processing messages."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not hold in time"
        time.sleep(0.01)


def child_pids(pid):
    """Return the ids of a process's children."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid):
    """Return True if the process exists and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ends while it is read
        return False


def wait_until_held(stack, condition):
    """Process messages until a condition has held once: a joint that moves may stand still at the next look."""
    held = False

    def check():
        nonlocal held
        held = bool(condition())
        return held

    stack.wait_until(check, DEADLINE_S)
    assert held


def wait_for_end(stack, seconds=280.0):
    """Process messages until simulated time is at the `stop_at` of the backend."""
    end = stack.description.options.settings["backend"]["stop_at"]

    def has_ended():
        return math.isclose(stack.log.time, end, abs_tol=1e-2)

    stack.wait_until(has_ended, seconds)
    assert has_ended(), f"the run came to {stack.log.time:g} of {end:g} s"


def engine_parameters(*others: str) -> list[Any]:
    """Return a test's parameters: `others`, the engine of every run, and those of exhaustive runs."""
    return [*others, PHYSICS, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in _OTHER_ENGINES)]
