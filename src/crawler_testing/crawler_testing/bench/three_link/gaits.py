"""Gaits per second of the fast maps, beside scipy's solve_ivp and physics on the same gaits, and their errors."""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from crawler_core.robot.robot_file import load_robot
from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.study.study_case import StudyCase
from crawler_testing.bench.three_link.ivp import steady_step
from gait_generators.kinds.time_scaled import TimeScaled
from sim_bridge.physics.engines import ENGINE_TITLES, installed_engines

PSIS_RAD, OMEGAS_RAD_S = np.radians(np.linspace(0.0, 180.0, 100)), np.geomspace(0.3, 20.0, 100)
RANDOM_GAITS = 1000
LOG_PERIOD_S = 5.0
CHUNK_GAITS = 50  # that a process checks at a time


class Case(NamedTuple):
    """Gait of a robot."""

    robot: ThreeLink
    gait: TimeScaled


def nominal(psi: float, omega: float) -> TimeScaled:
    return TimeScaled(omega, math.radians(18.0), math.radians(110.0), psi, 0.0, 0.0)


def random_cases(robot: ThreeLink, count: int, seed: int = 0) -> list[Case]:
    """Return robots within 30 % of the paper's in every length, mass, inertia and friction, with random gaits."""
    rng = np.random.default_rng(seed)

    def near(value: float) -> float:
        return float(value * rng.uniform(0.7, 1.3))

    def one() -> Case:
        body = ThreeLink(**{name: value if name == "g" else near(value) for name, value in asdict(robot).items()})
        return Case(
            body,
            TimeScaled(
                omega=float(np.exp(rng.uniform(np.log(0.3), np.log(20.0)))),
                amplitude=math.radians(rng.uniform(5.0, 25.0)),
                phi0=math.radians(rng.uniform(95.0, 145.0)),
                psi=math.radians(rng.uniform(0.0, 180.0)),
                alpha=float(rng.choice([0.0, rng.uniform(0.0, 0.9)])),
                upsilon=rng.uniform(-math.pi, math.pi),
            ),
        )

    return [one() for _ in range(count)]


def fast_map(robot: ThreeLink) -> tuple[np.ndarray, np.ndarray]:
    """Return steps (m) and validity over PSIS_RAD and OMEGAS_RAD_S, tables included."""
    table = ShapeTable(robot, [nominal(psi, 1.0) for psi in PSIS_RAD])
    which, omega = np.meshgrid(np.arange(len(PSIS_RAD)), OMEGAS_RAD_S, indexing="ij")
    found = table.crawl(which, omega, robot.mu1, robot.mu2, robot.g)
    return found.step_length, found.valid


def measure(_seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure the rates in turns, then the errors over the whole map and over random gaits."""
    spec = load_robot("three_link")
    robot = ThreeLink.from_parameters({key: float(value) for key, value in spec.parameters.items()})
    log("gaits: compiling")
    start = time.perf_counter()
    steps, valid = fast_map(robot)
    first = time.perf_counter() - start
    rng = np.random.default_rng(1)
    case = StudyCase("three_link", "harmonic")
    physics = {engine: PhysicsEvaluator.of(case, {}, engine) for engine in installed_engines()}
    times: dict[str, list[float]] = {name: [] for name in ("map", "solve_ivp", *physics)}
    off: dict[str, list[float]] = {name: [] for name in ("solve_ivp", *physics)}
    for i in range(1, rounds + 1):
        log(f"gaits: round {i} of {rounds}: map, solve_ivp, physics")
        times["map"].append(min(_timed(lambda: fast_map(robot)) for _ in range(10)) / steps.size)
        for k, j in rng.integers(0, 100, (5, 2)):
            start = time.perf_counter()
            step = steady_step(robot, nominal(PSIS_RAD[k], OMEGAS_RAD_S[j]))
            times["solve_ivp"].append(time.perf_counter() - start)
            off["solve_ivp"].append(abs(step - steps[k, j]))
        k, j = rng.integers(0, 100, 2)
        point = {"gait.psi": math.degrees(PSIS_RAD[k]), "gait.omega": float(OMEGAS_RAD_S[j])}
        for engine, evaluator in physics.items():
            start = time.perf_counter()
            result = evaluator.evaluate([point])[0]
            times[engine].append(time.perf_counter() - start)
            off[engine].append(abs(result.step_length - steps[k, j]))
    medians = {name: float(np.median(values)) for name, values in times.items()}
    over_map = _map_errors(robot, steps, valid, log)
    over_random = _random_errors(random_cases(robot, RANDOM_GAITS), log)
    return {
        "map_gaits": int(steps.size),
        "map_ms": 1e3 * medians["map"] * steps.size,
        "map_first_s": first,
        "gaits_per_s": 1.0 / medians["map"],
        **{f"{name}_gaits_per_s": 1.0 / float(np.mean(times[name])) for name in off},
        **{f"map_over_{name}": float(np.mean(times[name])) / medians["map"] for name in off},
        **{f"{name}_largest_difference_mm": 1e3 * float(np.nanmax(values)) for name, values in off.items()},
        **{f"map_{key}": value for key, value in over_map.items()},
        **{f"random_{key}": value for key, value in over_random.items()},
    }


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _map_errors(robot: ThreeLink, steps: np.ndarray, valid: np.ndarray, log: Callable[[str], None]) -> dict[str, Any]:
    cases = [Case(robot, nominal(psi, omega)) for psi in PSIS_RAD for omega in OMEGAS_RAD_S]
    return _errors("the map", cases, steps.ravel(), valid.ravel(), log)


def _random_errors(cases: list[Case], log: Callable[[str], None]) -> dict[str, Any]:
    table = ShapeTable([case.robot for case in cases], [case.gait for case in cases])
    found = table.crawl(
        np.arange(len(cases)),
        [case.gait.omega for case in cases],
        [case.robot.mu1 for case in cases],
        [case.robot.mu2 for case in cases],
        [case.robot.g for case in cases],
    )
    return _errors("random gaits", cases, found.step_length, found.valid, log)


def _errors(
    label: str, cases: list[Case], steps: np.ndarray, valid: np.ndarray, log: Callable[[str], None]
) -> dict[str, Any]:
    """Return the errors to the plain solver, which runs in processes."""
    chunks = [cases[k : k + CHUNK_GAITS] for k in range(0, len(cases), CHUNK_GAITS)]
    expected: list[float] = []
    context = multiprocessing.get_context("spawn")
    begin = logged = time.monotonic()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for answer in pool.map(_plain, chunks):
            expected += answer
            if time.monotonic() - logged > LOG_PERIOD_S:
                logged = time.monotonic()
                left = (logged - begin) * (len(cases) / len(expected) - 1.0)
                log(f"gaits: {label} against the plain solver: {len(expected)} of {len(cases)}, {left:.0f} s left")
    truth = np.array(expected)
    off = 1e3 * np.abs(steps - truth)[np.isfinite(truth) & valid]
    return {
        "checked": len(cases),
        "largest_error_mm": float(off.max()),
        "median_error_mm": float(np.median(off)),
        "flags_that_differ": int((np.isfinite(truth) != valid).sum()),
    }


def _plain(cases: Iterable[Case]) -> list[float]:
    """Return step lengths by the plain solver; NaN for an invalid gait."""
    return [crawl(robot, gait).step_length for robot, gait in cases]


def add_rows(table: Any, result: dict[str, Any]) -> None:
    rate = result["gaits_per_s"]
    table.add_row(f"map of {result['map_gaits']} gaits", f"{result['map_ms']:.1f} ms")
    for name, label in {"solve_ivp": "scipy solve_ivp", **ENGINE_TITLES}.items():
        if f"{name}_gaits_per_s" not in result:
            continue  # this machine lacks the engine
        table.add_row(
            "gaits per second" if name == "solve_ivp" else "",
            f"{rate:.0f}/s",
            f"{label} {result[f'{name}_gaits_per_s']:.2f}/s",
            f"{result[f'map_over_{name}']:.2g}",
        )
        table.add_row("", "", f"differs by up to {result[f'{name}_largest_difference_mm']:.2g} mm")
    for name, label in (("map", "the whole map"), ("random", "random gaits")):
        table.add_row(
            f"largest error, {label} ({result[f'{name}_checked']})",
            f"{result[f'{name}_largest_error_mm']:.1g} mm",
            f"median {result[f'{name}_median_error_mm']:.1g} mm",
            f"{result[f'{name}_flags_that_differ']} flags differ",
        )
    table.add_row("first map of the process", f"{result['map_first_s']:.2f} s")
