"""Physics engines on the three-link robot: speed of a world, of its backend and of sweeps, and their errors."""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from crawler_core.loop.backend_settings import own_robot_settings
from crawler_core.parameters import build
from crawler_core.robot.robot_file import load_robot
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.study.study_case import StudyCase
from crawler_studies.sweep.cluster import Cluster, local_cluster
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.variable import parse_variables
from crawler_testing.bench.backend_ticks import RATE_HZ, measure_backend
from sim_bridge.physics.contact_average import ContactAverage
from sim_bridge.physics.engines import ENGINE_TITLES, ENGINES, installed_engines

OMEGA_RAD_S = 3.2  # of the gait
CASE = StudyCase("three_link", "harmonic")
GAITS_PER_PROCESS = 6  # of a sweep
COMPARED_OMEGAS_RAD_S = (1.0, 3.2, 8.0, 16.0)  # of the gaits that are compared with the equations


def measure_world(engine: str, seconds: float) -> float:
    """Return steps per second of a standing robot's world: the engine, and the reading of its contacts."""
    spec, settings = load_robot("three_link"), engine_settings(engine)
    world = ENGINES[engine].backend(spec, settings, 1.0 / RATE_HZ).make_world([], 1.0 / settings.physics_rate)
    home, contacts = [joint.home for joint in spec.actuated], ContactAverage(spec.foot_names, settings.stick_speed)
    count, start = 0, time.perf_counter()
    while (wall := time.perf_counter() - start) < seconds:
        for _ in range(100):
            world.prescribe(home)
            world.step(contacts)
        count += 100
    world.close()
    return count / wall


def measure_sweep(engine: str, cluster: Cluster, grid: Grid) -> float:
    """Return gaits per second of a sweep in processes that are already running."""
    evaluator = PhysicsEvaluator.of(CASE, {}, engine)
    start = time.perf_counter()
    done = sum(len(numbers) for numbers, _ in cluster(evaluator, grid, range(grid.size)))
    return done / (time.perf_counter() - start)


def engine_settings(engine: str) -> Any:
    cls = ENGINES[engine].settings
    return build(cls, own_robot_settings(load_robot("three_link"), engine, cls), section="backend")


def measure(seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure the rates in turns, then the errors."""
    rates: dict[str, list[float]] = {}
    for i in range(1, rounds + 1):
        for engine in installed_engines():
            log(f"engines: round {i} of {rounds}: {ENGINE_TITLES[engine]}")
            rates.setdefault(f"{engine}_world_steps_per_s", []).append(measure_world(engine, seconds))
            rates.setdefault(f"{engine}_ticks_per_s", []).append(
                measure_backend(engine, CASE.robot, seconds, omega=OMEGA_RAD_S)
            )
    workers = len(os.sched_getaffinity(0))
    grid = Grid(parse_variables(CASE, [f"gait.omega=8:16:{GAITS_PER_PROCESS * workers}"]))
    with local_cluster(workers) as cluster:
        for engine in installed_engines():
            measure_sweep(engine, cluster, Grid(parse_variables(CASE, [f"gait.omega=15:16:{workers}"])))
        for i in range(1, rounds + 1):
            for engine in installed_engines():
                log(f"engines: round {i} of {rounds}: a sweep with {ENGINE_TITLES[engine]} in {workers} processes")
                rates.setdefault(f"{engine}_swept_gaits_per_s", []).append(measure_sweep(engine, cluster, grid))
    result: dict[str, Any] = {name: float(np.median(values)) for name, values in rates.items()}
    result["workers"] = workers
    points = [{"gait.omega": omega} for omega in COMPARED_OMEGAS_RAD_S]
    expected = ModelEvaluator(CASE).evaluate(points)
    for engine in installed_engines():
        log(f"engines: {ENGINE_TITLES[engine]} beside the equations")
        found = PhysicsEvaluator.of(CASE, {}, engine).evaluate(points)
        off = [1e3 * abs(one.step_length - other.step_length) for one, other in zip(found, expected, strict=True)]
        result[f"{engine}_physics_rate_hz"] = engine_settings(engine).physics_rate
        result[f"{engine}_largest_error_mm"] = max(off) if all(map(math.isfinite, off)) else None
    return result


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for engine in (name for name in ENGINES if f"{name}_ticks_per_s" in result):
        rate, ticks = result[f"{engine}_physics_rate_hz"], result[f"{engine}_ticks_per_s"]
        world, error = result[f"{engine}_world_steps_per_s"], result[f"{engine}_largest_error_mm"]
        steps = ticks * rate / RATE_HZ
        table.add_row(
            f"{ENGINE_TITLES[engine]}, {rate:.0f} Hz",
            f"{steps:.0f} steps/s",
            f"its world alone {world:.0f}/s",
            f"{steps / world:.2f}",
        )
        table.add_row(
            "",
            f"{ticks / RATE_HZ:.1f} x real time",
            "" if error is None else f"error to the equations {error:.2g} mm",
            "",
        )
    swept = {engine: result[key] for engine in ENGINES if (key := f"{engine}_swept_gaits_per_s") in result}
    for engine, other in itertools.pairwise(swept):
        table.add_row(
            f"a sweep in {result['workers']} processes, {ENGINE_TITLES[other]}",
            f"{swept[other]:.2f} gaits/s",
            f"{ENGINE_TITLES[engine]} {swept[engine]:.2f}/s",
            f"{swept[other] / swept[engine]:.2f}",
        )
