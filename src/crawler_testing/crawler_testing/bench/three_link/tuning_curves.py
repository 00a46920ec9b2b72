"""Quality of the optimiser, beside the global optimum, gradients from many starts, and random points."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import differential_evolution

from crawler_core.types import FloatArray
from crawler_studies.plots.drawing import BLUE, DPI, GREEN, ORANGE, RED
from crawler_studies.study.study_case import Point
from crawler_studies.tuning.optimiser.optimiser import Optimiser
from crawler_studies.tuning.plan import TuningPlan, TuningRequest, make_plan
from crawler_studies.tuning.plot import best_so_far
from crawler_testing.bench.three_link.multistart import multistart

matplotlib.use("Agg")
PLOT_FILE = Path("studies/bench_tuning.png")
VARIABLES = ("gait.psi", "gait.alpha", "gait.upsilon")
SEEDS = 10
BUDGET_EVALUATIONS = 60
GRADIENT_EVALUATIONS = 600
GOAL_SHARE = 0.98  # of the global optimum
CHANCE_EVALUATIONS = 20  # from which on random points must be beaten
POPULATION, GENERATIONS = 12, 80  # of the reference search, per variable


@dataclass(frozen=True)
class TuningProblem:
    """A tuning whose optimum is known by brute force."""

    title: str
    maximise: str
    omega: float  # rad/s

    def plan(self, seed: int = 0, budget: int = BUDGET_EVALUATIONS) -> TuningPlan:
        return make_plan(
            TuningRequest(
                robot="three_link",
                gait="time_scaled",
                maximise=self.maximise,
                over=VARIABLES,
                settings={"gait": {"omega": self.omega}},
                budget=budget,
                seed=seed,
            )
        )


PROBLEMS = (
    TuningProblem("step at 3.2 rad/s", "step", 3.2),
    TuningProblem("robust step at 3.2 rad/s", "robust_step", 3.2),
    TuningProblem("step at 16 rad/s", "step", 16.0),
)


@dataclass(frozen=True)
class TuningCurves:
    """Best value so far over the global optimum: one row per seed, one column per evaluation, NaN before the first."""

    problem: TuningProblem
    optimum: float  # m
    best_point: Point
    tuned: FloatArray
    chance: FloatArray
    gradients: FloatArray
    mean_ask_s: float
    max_ask_s: float

    @property
    def reached(self) -> int:
        """Number of seeds that reach the goal."""
        return int((self.tuned[:, -1] >= GOAL_SHARE).sum())

    @property
    def evaluations(self) -> float:
        """Median number of evaluations to the goal; infinite for a seed that does not reach it."""
        return _until_goal(self.tuned)

    @property
    def gradient_evaluations(self) -> float:
        """The same for the gradient search."""
        return _until_goal(self.gradients)

    @property
    def beats_chance(self) -> bool:
        """True if the mean is above that of random points for every budget from `CHANCE_EVALUATIONS` on."""
        tuned, chance = (
            np.nan_to_num(rows[:, CHANCE_EVALUATIONS - 1 :]).mean(axis=0) for rows in (self.tuned, self.chance)
        )
        return bool((tuned > chance).all())


def _until_goal(rows: FloatArray) -> float:
    there = rows >= GOAL_SHARE
    return float(np.median(np.where(there.any(axis=1), there.argmax(axis=1) + 1.0, math.inf)))


def evaluate(plan: TuningPlan, points: Sequence[Point]) -> FloatArray:
    """Evaluate the objective at many points; NaN where not valid."""
    objective = plan.objective
    many = [objective.points(point) for point in points]
    results = plan.evaluator.evaluate([point for group in many for point in group])
    size = len(many[0])
    groups = [results[k : k + size] for k in range(0, len(results), size)]
    return np.array([objective.of(group) if all(r.valid for r in group) else math.nan for group in groups])


def global_optimum(plan: TuningPlan, seed: int = 0) -> tuple[dict[str, float], float]:
    """Find it by differential evolution over the same space, with thousands of evaluations."""

    def loss(units: FloatArray) -> FloatArray:
        found = evaluate(plan, [plan.space.point(unit) for unit in units.T])
        return np.where(np.isnan(found), 1.0, -found)  # no step is as long as a metre

    answer = differential_evolution(
        loss,
        [(0.0, 1.0)] * plan.space.size,
        popsize=POPULATION,
        maxiter=GENERATIONS,
        tol=1e-5,
        polish=False,
        vectorized=True,
        updating="deferred",
        rng=seed,
    )
    return plan.space.point(answer.x), -float(answer.fun)


def tune_problem(
    problem: TuningProblem, seeds: Sequence[int], log: Callable[[str], None] = lambda _: None
) -> TuningCurves:
    """Tune with every seed, and evaluate as many random points."""
    plan = problem.plan()
    best_point, optimum = global_optimum(plan)
    log(f"{problem.title}: the optimum is {1e3 * optimum:.3f} mm")
    tuned, chance, gradients, asking = [], [], [], []

    def one(unit: FloatArray) -> float:
        return float(evaluate(plan, [plan.space.point(unit)])[0])

    for seed in seeds:
        optimiser = Optimiser(plan.space, seed)
        found = []
        for _ in range(BUDGET_EVALUATIONS):
            began = time.perf_counter()
            point = optimiser.ask()
            asking.append(time.perf_counter() - began)
            found.append(float(evaluate(plan, [point])[0]))
            optimiser.tell(point, found[-1])
        tuned.append(best_so_far(np.array(found)))
        units = np.random.default_rng([seed, 2]).random((BUDGET_EVALUATIONS, plan.space.size))
        chance.append(best_so_far(evaluate(plan, [plan.space.point(unit) for unit in units])))
        gradients.append(best_so_far(multistart(one, plan.space.size, seed, GRADIENT_EVALUATIONS)))
        shares = [rows[-1][BUDGET_EVALUATIONS - 1] / optimum for rows in (tuned, gradients, chance)]
        log(f"{problem.title}, seed {seed}: {shares[0]:.3f}, by gradients {shares[1]:.3f}, at random {shares[2]:.3f}")
    return TuningCurves(
        problem,
        optimum,
        best_point,
        np.array(tuned) / optimum,
        np.array(chance) / optimum,
        np.array(gradients) / optimum,
        float(np.mean(asking)),
        max(asking),
    )


def summary(curves: Sequence[TuningCurves]) -> dict[str, Any]:
    """Return numbers for a report, by the problems' titles."""

    def means(rows: FloatArray, *evaluations: int) -> list[float]:
        return [float(np.nanmean(rows[:, k - 1])) for k in evaluations]

    return {
        found.problem.title: {
            "optimum_mm": 1e3 * found.optimum,
            "optimum_at": dict(found.best_point),
            "seeds": len(found.tuned),
            "reached": found.reached,
            "median_evaluations": found.evaluations,
            "mean_at_20_30_60": means(found.tuned, 20, 30, 60),
            "chance_at_20_30_60": means(found.chance, 20, 30, 60),
            "gradients_at_20_60_600": [
                float(np.nanmean(found.gradients[:, k - 1])) for k in (20, 60, GRADIENT_EVALUATIONS)
            ],
            "gradients_reached_in_60_and_600": [
                int((found.gradients[:, k - 1] >= GOAL_SHARE).sum()) for k in (60, GRADIENT_EVALUATIONS)
            ],
            "gradients_median_evaluations": found.gradient_evaluations,
            "beats_chance": found.beats_chance,
            "ask_mean_s": found.mean_ask_s,
            "ask_longest_s": found.max_ask_s,
        }
        for found in curves
    }


def draw(curves: Sequence[TuningCurves], file: Path) -> None:
    figure = Figure(figsize=(4.4 * len(curves), 4.2), layout="constrained")
    numbers = np.arange(1, BUDGET_EVALUATIONS + 1)
    for axes, found in zip(np.atleast_1d(figure.subplots(1, len(curves), sharey=True)), curves, strict=True):
        axes.set_title(f"{found.problem.title}\n{found.reached} of {len(found.tuned)} seeds reach {GOAL_SHARE:.0%}")
        for rows, colour, label in (
            (found.chance, RED, "random points"),
            (found.gradients[:, :BUDGET_EVALUATIONS], ORANGE, "gradients, many starts"),
            (found.tuned, BLUE, "crawler tune"),
        ):
            axes.plot(numbers, rows.T, color=colour, alpha=0.2, linewidth=0.8)
            axes.plot(numbers, np.nan_to_num(rows).mean(axis=0), color=colour, linewidth=2.2, label=f"{label}, mean")
        axes.axhline(GOAL_SHARE, color=GREEN, linestyle="--", linewidth=1.0, label=f"{GOAL_SHARE:.0%} of the optimum")
        axes.set_xlabel("evaluations")
        axes.set_ylim(0.0, 1.03)
        axes.grid(alpha=0.3)
    first = figure.axes[0]
    first.set_ylabel("best so far over the global optimum")
    first.legend(loc="lower right")
    figure.savefig(file, dpi=DPI)


def measure(_seconds: float, _rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Tune every problem with every seed, and plot the curves."""
    curves = [tune_problem(problem, range(SEEDS), lambda text: log(f"tuning: {text}")) for problem in PROBLEMS]
    PLOT_FILE.parent.mkdir(parents=True, exist_ok=True)
    draw(curves, PLOT_FILE)
    return {"tuning": summary(curves), "tuning_picture": str(PLOT_FILE)}


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for title, found in result["tuning"].items():
        table.add_row(
            f"tuning, {title}",
            f"{found['reached']} of {found['seeds']} seeds reach 98 %",
            f"optimum {found['optimum_mm']:.2f} mm",
            f"in {found['median_evaluations']:g} (median)",
        )
        for number, tuned, chance in zip(
            (20, 60), found["mean_at_20_30_60"][::2], found["chance_at_20_30_60"][::2], strict=True
        ):
            table.add_row(
                f"mean best after {number}", f"{tuned:.1%}", f"random points {chance:.1%}", f"{tuned / chance:.2f}"
            )
        few, many = found["gradients_reached_in_60_and_600"]
        table.add_row(
            "gradients from many starts",
            f"{few} of {found['seeds']} seeds reach 98 % within 60",
            f"{many} within 600",
            f"in {found['gradients_median_evaluations']:g} (median)",
        )
    table.add_row("curves", result["tuning_picture"])
