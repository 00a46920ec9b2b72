"""Sixteen steps of the paper's run: compiled with singular perturbation, beside scipy's stiff solver on a DAE."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_core.robot.robot_file import load_robot
from crawler_models.bolt import Leg
from crawler_models.bolt.equations.constrained import projection
from crawler_models.bolt.simulation.hybrid_run import PAPERS_RUN, continuous_law, lift_off_start, simulate_hybrid
from crawler_testing.bench.bolt.hybrid_dae import HybridDae

STEPS = 16
METHOD, TOLERANCE = "Radau", 1e-6
REFERENCE_STEP_S = 5e-6  # of the run that errors are measured from


def measure(_seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure both in turns, and the errors of the body's last position."""
    parameters = {key: float(value) for key, value in load_robot("bolt").parameters.items()}
    leg = replace(Leg.from_parameters(parameters), I_r=0.0)  # the paper has no rotor
    start = lift_off_start(leg, PAPERS_RUN, -31.0)
    q_d = np.array([*start.q, *(start.z or ())])
    v = projection(leg, q_d) @ np.array(start.dq)
    solver = HybridDae(leg, continuous_law(PAPERS_RUN), METHOD, TOLERANCE)
    log("leaps: compiling")
    start_time = time.perf_counter()
    simulate_hybrid(leg, PAPERS_RUN, start, STEPS)
    first = time.perf_counter() - start_time
    truth = simulate_hybrid(leg, PAPERS_RUN, start, STEPS, step=REFERENCE_STEP_S)
    compiled, stiff = [], []
    for i in range(1, rounds + 1):
        log(f"leaps: round {i} of {rounds}: compiled, scipy's {METHOD}")
        for _ in range(10):
            start_time = time.perf_counter()
            run = simulate_hybrid(leg, PAPERS_RUN, start, STEPS)
            compiled.append(time.perf_counter() - start_time)
        start_time = time.perf_counter()
        ran = solver.run(q_d, v, STEPS)
        stiff.append(time.perf_counter() - start_time)
    return {
        "leaps": STEPS,
        "leaps_first_s": first,
        "leaps_compiled_ms": 1e3 * float(np.median(compiled)),
        "leaps_compiled_error_mm": 1e3 * float(np.abs(run.q[-1] - truth.q[-1])[1:].max()),
        "leaps_compiled_open_mm": 1e3 * float(np.abs(run.w).max()),
        "leaps_scipy_s": float(np.median(stiff)),
        "leaps_scipy_error_mm": 1e3 * float(np.abs(ran.q_d[:3] - truth.q[-1])[1:].max()),
        "leaps_scipy_open_mm": 1e3 * ran.constraint_error,
        "leaps_compiled_over_scipy": float(np.median(stiff)) / float(np.median(compiled)),
    }


def add_rows(table: Any, result: dict[str, Any]) -> None:
    table.add_row(
        f"{result['leaps']} steps of BOLT",
        f"{result['leaps_compiled_ms']:.0f} ms",
        f"scipy's {METHOD} {result['leaps_scipy_s']:.1f} s",
        f"{result['leaps_compiled_over_scipy']:.2g}",
    )
    for key, label in (("error", "error of the last position"), ("open", "largest error of a constraint")):
        compiled, stiff = result[f"leaps_compiled_{key}_mm"], result[f"leaps_scipy_{key}_mm"]
        table.add_row(label, f"{compiled:.1g} mm", f"{stiff:.1g} mm")
    table.add_row("first run of the process", f"{result['leaps_first_s']:.2f} s")
