"""Speed of a robot that is stepped in one process, beside its backend alone, its engine and the nodes."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from crawler_studies.simulation.robot import Robot
from crawler_testing.bench.backend_ticks import RATE_HZ, gait_commands, measure_backend
from crawler_testing.bench.control_loop import measure_lockstep
from crawler_testing.bench.three_link.engines import engine_settings, measure_world
from sim_bridge.physics.engines import ENGINES, installed_engines

ROBOT = "three_link"
CHECK_TICKS = 100  # between two looks at the clock
MEASURES = ("steps", "run", "environment", "alone", "world", "nodes")


def measure_steps(backend: str, seconds: float) -> float:
    """Return ticks per second of Robot.step with the commands of a gait."""
    with Robot(ROBOT, backend, rate=RATE_HZ) as robot:
        commands = iter(gait_commands(robot.spec))
        robot.reset()
        return _rate(lambda: robot.step(next(commands)), seconds)


def measure_run(backend: str, seconds: float) -> float:
    """Return ticks per second with the stack's gait and law."""
    with Robot(ROBOT, backend, rate=RATE_HZ) as robot:
        return _rate(robot.control_loop().tick, seconds)


def measure_environment(backend: str, seconds: float) -> float:
    """Return ticks per second of the Gymnasium environment, with small actions."""
    from crawler_studies.learning.robot_environment import RobotEnvironment

    environment = RobotEnvironment(ROBOT, backend, rate=RATE_HZ)
    environment.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-0.05, 0.05, (CHECK_TICKS, *(environment.action_space.shape or ())))
    count = 0

    def step() -> None:
        nonlocal count
        environment.step(actions[count % CHECK_TICKS])
        count += 1

    steps = _rate(step, seconds)
    environment.close()
    return environment.ticks_per_step * steps


def _rate(step: Callable[[], object], seconds: float) -> float:
    count, start = 0, time.perf_counter()
    while (wall := time.perf_counter() - start) < seconds:
        for _ in range(CHECK_TICKS):
            step()
        count += CHECK_TICKS
    return count / wall


def measure(seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure in turns; each result is the median of its rounds."""
    backends = ("model", *installed_engines())
    rates: dict[str, list[float]] = {}
    measures: dict[str, Callable[[str, float], float]] = {
        "steps": measure_steps,
        "run": measure_run,
        "environment": measure_environment,
        "alone": lambda backend, seconds: measure_backend(backend, ROBOT, seconds),
        "world": measure_world,
        "nodes": measure_lockstep,
    }
    if find_spec("gymnasium") is None:
        del measures["environment"]
    for i in range(1, rounds + 1):
        for backend in backends:
            log(f"python: round {i} of {rounds}: {backend}")
            for name, rate_of in measures.items():
                if name != "world" or backend in ENGINES:
                    rates.setdefault(f"python_{backend}_{name}_per_s", []).append(rate_of(backend, seconds))
    result: dict[str, Any] = {name: float(np.median(values)) for name, values in rates.items()}
    for engine in installed_engines():
        result[f"python_{engine}_steps_per_tick"] = round(engine_settings(engine).physics_rate / RATE_HZ)
    return result


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for backend in (name for name in ("model", *ENGINES) if f"python_{name}_steps_per_s" in result):
        rates = {name: result.get(f"python_{backend}_{name}_per_s", 0.0) for name in MEASURES}
        steps = rates["steps"]
        besides = [("nodes", rates["nodes"]), ("backend alone", rates["alone"])]
        if rates["world"]:
            per_tick = result[f"python_{backend}_steps_per_tick"]
            besides.append((f"engine, {per_tick} steps,", rates["world"] / per_tick))
        here = (f"in Python on {backend}", f"{steps:.0f} ticks/s")
        for name, other in besides:
            table.add_row(*here, f"{name} {other:.0f}/s", f"{steps / other:.2f}")
            here = ("", "")
        for name, title in (("run", "with gait and law"), ("environment", "in Gymnasium")):
            if rates[name]:
                table.add_row(f"  {title}", f"{rates[name]:.0f} ticks/s")
