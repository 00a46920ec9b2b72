"""What the tests with running rings share."""

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

PHYSICS, *_OTHERS = installed_engines()
"""The engine that every run takes; what it shows on a ring it shows for the others, which exhaustive runs take too."""

LONG = 120.0  # s, a deadline that only a broken stack meets
PATIENCE = 60.0  # s that a ring waits for a process whose turn it is
GENTLE = 50.0  # Hz, the rate of a ring whose numbers are not looked at: it leaves the machine to the other tests

LIMITS = Path(__file__).with_name("limits")  # where what sets them is
# s: what bounds a run's start and its end, and what stops motors; only the tests about these limits need the real ones.
# By module, since processes of their own are to have them
WIDE: dict[str, dict[str, float]] = {
    "crawler_bringup.recorder.recorder_node": {"SHUTDOWN_GRACE_S": PATIENCE},
    "crawler_cli.run.loop_watchdog": {"MOTOR_LOOP_TIMEOUT_S": PATIENCE, "STOP_TIMEOUT_S": PATIENCE},
    "crawler_cli.run.node_processes": {"KILL_DELAY_S": PATIENCE},
    "crawler_cli.run.run_watch": {
        "START_TIMEOUT_S": LONG,
        "REPORT_TIMEOUT_S": PATIENCE,
        "INACTIVE_TIMEOUT_S": PATIENCE,
    },
    "crawler_nodes.shutdown.watchdog": {"BEGINS": PATIENCE, "LEAVES": PATIENCE, "LAST": PATIENCE},
    "crawler_nodes.node_main": {"HEARD": 5.0},  # of readers that have been killed too, which are missed after 20 s
    "crawler_nodes.client.stack_client": {"ANSWER": PATIENCE},
    "crawler_studies.evaluators.live_link": {"SERVICE_TIMEOUT_S": PATIENCE},
    "hw_drivers.bus.bus_loop": {"TICK_TIMEOUT_S": PATIENCE, "CYCLE_TIMEOUT_S": PATIENCE},
}


@contextmanager
def widened(limits: Mapping[str, Mapping[str, float]] = WIDE) -> Iterator[None]:
    """Limits of wall time that processes which are started meanwhile have, and all that they start, by module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WIDENED_LIMITS", json.dumps(limits))
        patch.setenv("PYTHONPATH", str(LIMITS), prepend=os.pathsep)
        yield


def lockstep(factor=0.0, *, law=None, reference_timeout=PATIENCE, **backend):
    """Settings of a ring in which nothing comes too late, however long each process has to wait for its turn.

    `factor` is the real-time factor; `law` and `backend` are further settings of the controller and the backend.
    """
    return {
        "backend": {"lockstep": True, "real_time_factor": factor, "lockstep_timeout": PATIENCE, **backend},
        "controller": {"reference_timeout": reference_timeout, **(law or {})},
    }


def wait_for(condition):
    """Wait until a condition holds, without listening to a ring."""
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline, "it did not come in time"
        time.sleep(0.01)


def children(pid):
    """The processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid):
    """Whether that process is there, and has not ended unnoticed by whoever started it."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ends while it is read
        return False


def until(stack, condition):
    """Watch a ring until a condition has held at one look: a joint that moves may stand still at the next."""
    held = False

    def look():
        nonlocal held
        held = bool(condition())
        return held

    stack.wait_until(look, LONG)
    assert held


def wait_for_end(stack, seconds=280.0):
    """Watch a ring until its time stands still at the `stop_at` of its backend."""
    end = stack.description.options.settings["backend"]["stop_at"]

    def ended():
        return math.isclose(stack.log.time, end, abs_tol=1e-2)

    stack.wait_until(ended, seconds)
    assert ended(), f"the run came to {stack.log.time:g} of {end:g} s"


def engines(*others: str) -> list[Any]:
    """The values of a test's parameter: `others`, the engine of every run, and in exhaustive runs the others."""
    return [*others, PHYSICS, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in _OTHERS)]
