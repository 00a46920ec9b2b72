"""The report of a tuning, and the command that repeats its best gait."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot
from crawler_nodes.run_log.measure_source import GROUND_TRUTH_SOURCE
from crawler_studies.evaluators.live_evaluator import LiveEvaluator
from crawler_studies.study.study_case import Point, StudyCase
from crawler_studies.tuning.plan import TuningPlan
from crawler_studies.tuning.plot import draw
from crawler_studies.tuning.tuning_loop import TuningState


def report_tuning(plan: TuningPlan, state: TuningState, study: Path) -> dict[str, Any]:
    """Return the keys of --json. Writes the plot beside the study."""
    best = state.best
    picture = study.with_suffix(".png")
    title = f"{plan.case.spec.title}: {plan.case.gait_name} gait, {plan.evaluator.backend}"
    try:
        draw(state, title, plan.objective.name, picture)
    except OSError as error:
        raise UserError(f"{picture} cannot be written: {error.strerror or error}; the study is complete.") from None
    return {
        "robot": plan.case.spec.name,
        "gait": plan.case.gait_name,
        "backend": plan.evaluator.backend,
        "objective": plan.objective.label,
        "unit": plan.objective.criterion.unit,
        "variables": {variable.name: [variable.low, variable.high] for variable in plan.space.variables},
        "settings": {name: dict(values) for name, values in plan.case.settings.items()},
        "measured_by": measured_by(plan),
        "seed": plan.seed,
        "budget": plan.budget,
        "evaluations": len(state.trials),
        "evaluated": len(state.trials) - state.before,
        "finished_before": state.before,
        "not_valid": sum(not trial.valid for trial in state.trials),
        "best": dict(best.point) if best else None,
        "best_value": best.value if best else None,
        "best_evaluation": state.trials.index(best) + 1 if best else None,
        "set": [f"--set {word}" for word in assignments(plan, best.point)] if best else None,
        "command": point_command(plan, best.point) if best else None,
        "study": str(study),
        "picture": str(picture),
    }


def measured_by(plan: TuningPlan) -> str:
    """Return what the steps of a tuning are measured by."""
    if isinstance(plan.evaluator, LiveEvaluator):
        return plan.evaluator.measured_by
    return "equations" if plan.evaluator.backend == "model" else GROUND_TRUTH_SOURCE


def assignments(plan: TuningPlan, point: Point) -> list[str]:
    """Return the words after --set that repeat `point` with the plan's own settings."""
    values: dict[str, Any] = {
        f"{section}.{name}": value
        for section in ("robot", "gait", "controller")
        for name, value in (plan.case.settings.get(section) or {}).items()
        if value != ""
    }
    values.update(point)
    return [shlex.quote(f"{name}={_format(value)}") for name, value in values.items()]


def point_command(plan: TuningPlan, point: Point) -> str:
    """Return the command that runs the robot with `point`."""
    backend = plan.evaluator.backend
    return run_command(plan.case, "" if backend == "live" else backend, assignments(plan, point))


def run_command(case: StudyCase, backend: str, words: Sequence[str]) -> str:
    """Return the command that runs the case, with these words after --set; without a backend on the default one."""
    robot = [] if case.robot in ("", default_robot()) else [f"--robot {shlex.quote(case.robot)}"]
    controller = [f"--controller {case.law}"] if case.law else []
    on = [f"--backend {backend}"] if backend else []
    sets = [f"--set {word}" for word in words]
    return " ".join(["./crawler run", *robot, *on, *controller, f"--gait {case.gait_name}", *sets])


def _format(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
