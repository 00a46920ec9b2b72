"""One run beside busy loops, and its comparison with the idle one."""

from __future__ import annotations

import contextlib
import io
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.run.run_watch import RunOutcome, watch
from crawler_cli.run.summary import summarise
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.types import FloatArray
from crawler_models.model_registry import model_of
from crawler_testing.load.busy_loops import BusyLoops

PACES = ("paced", "lockstep")
MAX_SHIFT_S = 0.5  # by which the gait may begin later in the log of a run in real time
SHIFT_STEP_S = 0.5e-3
TIME_DIGITS = 9  # of s
MAX_MISSING_SHARE = 0.01  # of the states that the command itself may miss on a busy machine
TOLERATED_TICKS = 2  # of the fastest motion, in real time: a command is up to a tick old, a sample too


@dataclass(frozen=True)
class LoadCase:
    """A robot on a backend, in lockstep or paced."""

    robot: str
    backend: str
    pace: str

    @property
    def is_exact(self) -> bool:
        """True where time waits for commands, so that nothing depends on the machine."""
        return BACKENDS[self.backend].simulated

    def __str__(self) -> str:
        return f"{self.robot} on {self.backend}, {self.pace}"


@dataclass(frozen=True)
class LoadRun:
    """Results of one run beside `busy` loops."""

    busy: int
    distance: float | None  # m; None: nothing measures it
    ticks: int
    late_ticks: int
    real_time_factor: float
    start_up: float  # s until the first state
    fault: str  # empty: none
    why_invalid: str  # as the run itself reports it; empty: valid
    tick: float  # s
    times: FloatArray = field(repr=False)  # s, (n,)
    angles: FloatArray = field(repr=False)  # rad, (n, joints)

    def as_json(self) -> dict[str, Any]:
        """Return all but the samples, and the last angles."""
        own = {key: value for key, value in vars(self).items() if key not in ("times", "angles", "tick")}
        return {**own, "last_angles": self.angles[-1].tolist() if len(self.angles) else []}


@dataclass(frozen=True)
class Comparison:
    """A run compared with the idle one."""

    verdict: str  # equal, within tolerance, invalid, not compared, differs or fault
    text: str
    difference: float = math.nan  # rad, the largest of a joint
    tolerance: float = 0.0  # rad

    @property
    def ok(self) -> bool:
        return self.verdict in ("equal", "within tolerance", "invalid")


def load_cases(robots: Sequence[str], backends: Sequence[str], paces: Sequence[str]) -> list[LoadCase]:
    """Return what can be run: a backend in real time has no lockstep, and not all robots have equations."""
    cases = [LoadCase(robot, backend, pace) for robot in robots for backend in backends for pace in paces]
    return [
        case
        for case in cases
        if (case.pace == "paced" or BACKENDS[case.backend].simulated)
        and (case.backend != "model" or model_of(load_robot(case.robot, {})).plant is not None)
    ]


def run_case(case: LoadCase, seconds: float, busy: int) -> LoadRun:
    """Run the nodes for so many `seconds` of the run's own time beside `busy` loops.

    Raises KeyboardInterrupt after Ctrl-C, and UserError for a case that cannot run.
    """
    settings: Mapping[str, Mapping[str, Any]] = {"backend": {"lockstep": True}} if case.pace == "lockstep" else {}
    options = Options(
        robot=case.robot, backend=case.backend, duration=seconds, settings=settings, extra_state_readers=1
    )
    stack = make_stack(options)
    with tempfile.TemporaryDirectory(prefix="crawler-load-") as directory, BusyLoops(busy):
        with contextlib.redirect_stderr(io.StringIO()):
            outcome = watch(stack, Path(directory), quiet=True, sample_period=0.0)
        if outcome.interrupted:
            raise KeyboardInterrupt
        if outcome.input_error:
            raise UserError(outcome.input_error)
        summary = summarise(stack, outcome, Path(directory))
    return LoadRun(
        busy=busy,
        distance=summary["distance_m"],
        ticks=summary["ticks"],
        late_ticks=summary["late_ticks"],
        real_time_factor=summary["real_time_factor"],
        start_up=summary["start_up_s"],
        fault=summary["fault"],
        why_invalid=summary["why_invalid"],
        tick=1.0 / stack.backend.settings.rate,
        **_samples(outcome),
    )


def _samples(outcome: RunOutcome) -> dict[str, FloatArray]:
    """Return every state, at the run's own times."""
    rows = list(outcome.log.joints)
    return {
        "times": np.round(outcome.log.start + np.array([time for time, _ in rows]), TIME_DIGITS),
        "angles": np.array([angles for _, angles in rows]).reshape(len(rows), len(outcome.log.names)),
    }


def compare_runs(idle: LoadRun, loaded: LoadRun, is_exact: bool) -> Comparison:
    """Compare two runs: to the bit where the case `is_exact` and no tick was late, otherwise by their joints' motion.

    The tolerance is the fastest motion of a joint in the idle run during the late ticks; in real time, two more.
    """
    if loaded.fault or idle.fault:
        return Comparison("fault", loaded.fault or f"the idle run had a fault: {idle.fault}")
    if idle.why_invalid:
        return Comparison("not compared", "not compared: the idle run was invalid")
    shift = 0.0 if is_exact else _find_shift(idle, loaded)
    difference = _largest_difference(idle, loaded, shift)
    missing = len(np.setxor1d(idle.times, loaded.times))
    is_equal = difference == 0.0 and loaded.distance == idle.distance and missing <= MAX_MISSING_SHARE * len(idle.times)
    if is_exact and is_equal and idle.times[-1] == loaded.times[-1]:
        return Comparison("equal", f"equal ({missing} states not received)" if missing else "equal", 0.0)
    ticks = loaded.late_ticks + idle.late_ticks + (0 if is_exact else TOLERATED_TICKS)
    tolerance = ticks * idle.tick * _fastest(idle)
    if loaded.why_invalid:
        return Comparison("invalid", f"marked invalid: {loaded.why_invalid.partition(':')[0]}", difference, tolerance)
    if ticks and difference <= tolerance:
        return Comparison("within tolerance", f"within {1e3 * difference:.1f} mrad", difference, tolerance)
    text = f"differs by {1e3 * difference:.2g} mrad, tolerated are {1e3 * tolerance:.2g}"
    if missing and is_exact:
        text += f"; {missing} states in one of the two only"
    if loaded.distance is not None and idle.distance is not None and loaded.distance != idle.distance:
        text += f"; {1e3 * loaded.distance!r} mm, {1e3 * idle.distance!r} mm idle"
    return Comparison("differs", text, difference, tolerance)


def _largest_difference(idle: LoadRun, loaded: LoadRun, shift: float) -> float:
    """Return the largest difference of a joint (rad) at the times of the loaded run, which is later by `shift` (s)."""
    times = loaded.times - shift
    inside = (times >= idle.times[0]) & (times <= idle.times[-1]) if len(idle.times) else np.zeros(len(times), bool)
    if not inside.any():
        return math.inf
    known = np.column_stack([np.interp(times[inside], idle.times, column) for column in idle.angles.T])
    return float(np.abs(known - loaded.angles[inside]).max())


def _find_shift(idle: LoadRun, loaded: LoadRun) -> float:
    """Return by how many seconds the motion begins later in the loaded run's log."""
    shifts = np.arange(-MAX_SHIFT_S, MAX_SHIFT_S, SHIFT_STEP_S)
    return float(min(shifts, key=lambda shift: _largest_difference(idle, loaded, shift)))


def _fastest(run: LoadRun) -> float:
    """Return the fastest motion of a joint (rad/s)."""
    steps = np.diff(run.times)
    return float((np.abs(np.diff(run.angles, axis=0)) / steps[:, np.newaxis]).max()) if len(steps) else 0.0
