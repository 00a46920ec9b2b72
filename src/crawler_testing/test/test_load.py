"""Busy loops, and the comparison of runs beside them with idle ones."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from crawler_testing.commands import load as command
from crawler_testing.load.busy_loops import BusyLoops
from crawler_testing.load.load_report import CaseOutcome, table
from crawler_testing.load.load_run import LoadCase, LoadRun, compare_runs, load_cases

TIMES = np.arange(0.0, 2.0, 0.01)
IDLE = LoadRun(0, 0.0379, 400, 0, 1.0, 1.5, "", "", 0.005, TIMES, np.column_stack([np.sin(3.0 * TIMES), 0.0 * TIMES]))
LATER = IDLE.angles + np.array([1e-15, 0.0])
ORPHANS = """
import os
from crawler_testing.load.busy_loops import BusyLoops
print(*[process.pid for process in BusyLoops(2).__enter__().processes], flush=True)
os._exit(0)
"""


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_busy_loops_end_with_their_context_and_with_their_parent():
    with BusyLoops(2) as loops:
        pids = [process.pid for process in loops.processes]
        assert all(map(is_running, pids))
    assert not any(map(is_running, pids))
    orphans = subprocess.run([sys.executable, "-c", ORPHANS], capture_output=True, text=True, check=True)
    deadline = time.monotonic() + 60.0
    while any(is_running(int(pid)) for pid in orphans.stdout.split()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("changes", "is_exact", "verdict", "words"),
    [
        ({}, True, "equal", "equal"),
        ({"angles": LATER}, True, "differs", "differs by 1e-12 mrad, tolerated are 0"),
        ({"distance": 0.04}, True, "differs", "; 40.0 mm, "),
        ({"times": TIMES[:-1], "angles": IDLE.angles[:-1]}, True, "differs", "1 states in one of the two only"),
        (
            {"times": np.delete(TIMES, 7), "angles": np.delete(IDLE.angles, 7, 0)},
            True,
            "equal",
            "(1 states not received",
        ),
        ({"angles": LATER, "late_ticks": 1}, True, "within tolerance", "within 0.0 mrad"),
        ({"times": TIMES + 0.1}, False, "within tolerance", "within 0.0 mrad"),  # the gait began later
        ({"angles": IDLE.angles + 0.02}, False, "within tolerance", "within 20.0 mrad"),
        ({"angles": 1.1 * IDLE.angles}, False, "differs", "tolerated are 30"),
        (
            {"angles": 1.1 * IDLE.angles, "why_invalid": "9 % late: lockstep."},
            False,
            "invalid",
            "marked invalid: 9 % late",
        ),
        ({"fault": "its watchdog stopped it"}, True, "fault", "its watchdog stopped it"),
        ({"times": TIMES[:0], "angles": IDLE.angles[:0]}, True, "differs", "differs by inf"),
    ],
)
def test_a_run_beside_loops_is_compared_with_the_idle_one(changes, is_exact, verdict, words):
    found = compare_runs(IDLE, replace(IDLE, busy=4, **changes), is_exact)
    assert found.verdict == verdict
    assert words in found.text
    assert found.ok == (verdict not in ("differs", "fault"))


def test_an_idle_run_that_failed_is_a_problem():
    outcome = CaseOutcome(LoadCase("r", "model", "paced"), replace(IDLE, fault="it fell"))
    assert not outcome.ok
    assert "| fault: it fell |" in table([outcome], "")
    assert not compare_runs(replace(IDLE, why_invalid="9 % late: lockstep."), IDLE, True).ok


def test_what_a_backend_cannot_do_is_left_out():
    cases = [(case.backend, case.pace) for case in load_cases(["three_link"], ["model", "mock"], ["paced", "lockstep"])]
    assert cases == [("model", "paced"), ("model", "lockstep"), ("mock", "paced")]


@pytest.fixture
def runs(monkeypatch):
    """Replace the runs by ones that need no processes; return what is wanted of them."""
    wanted = []

    def run_case(case, seconds, busy):
        wanted.append((case.pace, seconds, busy))
        if busy == 7:
            os.kill(os.getpid(), signal.SIGINT)
        return replace(IDLE, busy=busy, angles=LATER if busy == 3 else IDLE.angles)

    monkeypatch.setattr(command, "run_case", run_case)
    yield wanted
    signal.signal(signal.SIGINT, signal.default_int_handler)


def call(capsys, monkeypatch, *words):
    from crawler_cli import __main__ as front_door

    monkeypatch.setattr(sys, "argv", ["crawler", "load", "--robot", "three_link", "--domain", "3", *words])
    code = front_door.main()
    return code, *capsys.readouterr()


def test_the_command_runs_each_level_and_reports_what_differs(runs, capsys, monkeypatch):
    code, out, _ = call(capsys, monkeypatch, "--backend", "model", "--busy", "4,0,2", "--rounds", "2", "--seconds", "1")
    assert code == 0
    paced = [("paced", 1.0, busy) for busy in (0, 2, 2, 4, 4)]
    assert runs == [*paced, *[("lockstep", 1.0, busy) for busy in (0, 4, 4)]]
    assert "| three_link | `model` | paced | 37.900 mm, 1.00 × | 2 of 2 equal, 1.00 × | 2 of 2 equal, 1.00 × |" in out
    code, out, err = call(capsys, monkeypatch, "--backend", "model", "--busy", "3", "--only", "paced", "--json")
    assert code == 1
    (outcome,) = json.loads(out)["outcomes"]
    assert [run["verdict"] for run in outcome["loaded"]] == ["differs"]
    assert "3 loops: FAIL differs by" in err


def test_after_an_interruption_the_results_so_far_are_written(runs, capsys, monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- written by ./crawler load --write -->\nold\n<!-- until here -->\nz\n")
    words = ("--backend", "model,mock", "--busy", "2,7", "--write", str(page))
    code, *_ = call(capsys, monkeypatch, *words)
    assert code == 130
    assert [run[2] for run in runs] == [0, 2, 7]
    assert "| 2 loops |\n" in page.read_text()


@pytest.mark.parametrize("words", ["--busy x", "--busy -1", "--seconds 0", "--rounds 0", "--backend hardware"])
def test_values_that_are_not_allowed_are_one_sentence(runs, capsys, monkeypatch, words):
    code, _, err = call(capsys, monkeypatch, *words.split())
    assert code == 2
    assert err.count("\n") == 1
    assert not runs


@pytest.mark.exhaustive
@pytest.mark.parametrize("robot", ["three_link", "miniaq"])
def test_emulated_motors_move_alike_beside_four_loops(capsys, monkeypatch, robot):
    code, out, _ = call(capsys, monkeypatch, "--robot", robot, "--backend", "emulated", "--busy", "4", "--rounds", "5")
    assert code == 0, out
