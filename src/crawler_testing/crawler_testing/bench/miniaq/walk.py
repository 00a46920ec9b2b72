"""Five seconds of MinIAQ's trot: compiled, beside scipy's stiff solvers on the same compiled right-hand side."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from crawler_core.robot.robot_file import load_robot
from crawler_core.types import FloatArray
from crawler_models.miniaq import Quadruped
from crawler_models.miniaq.compiled.equations import CRANK, RATE, STATES, V, numbers, rates
from crawler_models.miniaq.quadruped_plant import QuadrupedPlant
from crawler_models.miniaq.walks.statics import standing
from crawler_models.miniaq.walks.walk import walk

WALK_S, SAMPLE_PERIOD_S = 5.0, 1e-3
TOLERANCE, REFERENCE_TOLERANCE = 1e-6, 1e-10  # relative; the second of the walk that errors are measured from
METHODS = ("LSODA", "BDF")
TICK_S, TICKS = 5e-3, 1000  # of the plant
CRANKS_RAD = math.radians(135.0) + 2.0 * math.pi * np.array([0.0, 0.5, 0.5, 0.0])
SPEEDS_RAD_S = np.full(4, 2.0 * math.pi * 2.5)


def measure(_seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure all in turns; errors are the largest of the body's position at any sample."""
    robot = Quadruped.from_parameters(load_robot("miniaq").parameters)
    log("walk: compiling")
    start = time.perf_counter()
    walk(robot, CRANKS_RAD, SPEEDS_RAD_S, 0.01)
    result: dict[str, Any] = {"walk_seconds": WALK_S, "walk_first_s": time.perf_counter() - start}
    exact = walk(robot, CRANKS_RAD, SPEEDS_RAD_S, WALK_S, SAMPLE_PERIOD_S, REFERENCE_TOLERANCE).position
    took: dict[str, list[float]] = {"compiled": [], "tick": [], **{method: [] for method in METHODS}}
    error = {}
    for i in range(1, rounds + 1):
        log(f"walk: round {i} of {rounds}: compiled, scipy's {' and '.join(METHODS)}")
        for _ in range(5):
            start = time.perf_counter()
            found = walk(robot, CRANKS_RAD, SPEEDS_RAD_S, WALK_S, SAMPLE_PERIOD_S, TOLERANCE)
            took["compiled"].append(time.perf_counter() - start)
        error["compiled"] = _error(found.position, exact)
        for method in METHODS:
            start = time.perf_counter()
            place = _by_scipy(robot, method)
            took[method].append(time.perf_counter() - start)
            error[method] = _error(place, exact)
        took["tick"].append(_ticks(robot) / TICKS)
    for name in ("compiled", *METHODS):
        key = f"walk_{name.lower()}"
        result |= {f"{key}_ms": 1e3 * float(np.median(took[name])), f"{key}_error_um": 1e6 * error[name]}
    for method in METHODS:
        result[f"walk_compiled_over_{method.lower()}"] = (
            result[f"walk_{method.lower()}_ms"] / result["walk_compiled_ms"]
        )
    return result | {"walk_plant_tick_us": 1e6 * float(np.median(took["tick"]))}


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for method in METHODS:
        key = method.lower()
        table.add_row(
            f"{result['walk_seconds']:g} s of MinIAQ's trot",
            f"{result['walk_compiled_ms']:.0f} ms",
            f"scipy's {method} {result[f'walk_{key}_ms']:.0f} ms",
            f"{result[f'walk_compiled_over_{key}']:.2g}",
        )
        table.add_row(
            "largest error of its position",
            f"{result['walk_compiled_error_um']:.2g} um",
            f"{result[f'walk_{key}_error_um']:.2g} um",
        )
    table.add_row("a tick of 5 ms of MinIAQ's plant", f"{result['walk_plant_tick_us']:.0f} us")


def _by_scipy(robot: Quadruped, method: str) -> FloatArray:
    n, dy, force, still = numbers(robot, driven=False), np.empty(STATES), np.empty((4, 4)), np.zeros(4)
    y = np.concatenate([np.zeros(RATE), SPEEDS_RAD_S])

    def slope(t: float, X: FloatArray) -> FloatArray:
        y[:CRANK], y[CRANK:V], y[V:RATE] = X[:6], CRANKS_RAD + SPEEDS_RAD_S * t, X[6:]
        rates(n, y, still, dy, force)
        return np.concatenate([dy[:CRANK], dy[V:RATE]])

    times = SAMPLE_PERIOD_S * np.arange(round(WALK_S / SAMPLE_PERIOD_S) + 1)
    X = standing(robot, CRANKS_RAD)
    with np.errstate(over="ignore"):  # BDF looks for slopes by x, y and yaw with steps without end: there are none
        found = solve_ivp(slope, (0.0, times[-1]), X, method, times, rtol=TOLERANCE, atol=0.01 * TOLERANCE)
    return np.asarray(found.y[:3].T)


def _error(place: FloatArray, exact: FloatArray) -> float:
    return float(np.abs(place - exact).max())


def _ticks(robot: Quadruped) -> float:
    """Return s per TICKS of what the backend calls in each tick."""
    plant, none = QuadrupedPlant(robot, CRANKS_RAD), np.full(4, math.nan)
    effort = np.full(4, robot.B * SPEEDS_RAD_S[0] + 4e-4)
    start = time.perf_counter()
    for _ in range(TICKS):
        plant.advance(none, none, effort, TICK_S)
        plant.joints(), plant.base(), plant.contacts()
    return time.perf_counter() - start
