"""A tuning, planned and checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_file import load_robot
from crawler_studies.evaluators.evaluator import Evaluator
from crawler_studies.evaluators.friction_sets import DEFAULT_SPREAD, SPREAD_SAMPLES
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.study.study_case import StudyCase, check_sections, study_sections
from crawler_studies.study.study_file import default_study_path
from crawler_studies.study.study_identity import stored_backend, study_identity
from crawler_studies.tuning.gait_choice import choose_gait
from crawler_studies.tuning.objective import Objective, make_objective
from crawler_studies.tuning.optimiser.space import TuningSpace, make_space
from crawler_studies.tuning.parameter_search import find_search
from sim_bridge.physics.engines import ENGINES

BACKENDS = ("model", *ENGINES, "live")
SLOW_SPREAD_SAMPLES = 9  # of the frictions, where each takes seconds
MAX_EVALUATIONS = 1000  # a Gaussian process takes the cube of it
Settings = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class TuningRequest:
    """A tuning as the user asks for it."""

    robot: str = ""  # empty: the installation's default
    gait: str = ""  # empty: the robot's default, or the one that has all the variables
    maximise: str = "step"
    minimise: str = ""  # instead of maximise
    law: str = ""  # empty: the robot's default
    over: Sequence[str] = ()  # gait.psi or gait.psi=0:180
    settings: Settings = field(default_factory=dict)
    friction_set: str = "asymmetric"
    spread: float = DEFAULT_SPREAD
    budget: int = 60
    seed: int = 0
    backend: str = "model"
    namespace: str = ""  # of the running stack, with the backend live
    keep_best: bool = False  # leave a running stack in the best gait, not in the one that it had


@dataclass(frozen=True)
class TuningPlan:
    """A tuning whose inputs are checked."""

    case: StudyCase
    space: TuningSpace
    objective: Objective
    evaluator: Evaluator
    identity: Mapping[str, Any]  # all that the evaluations, and their order, depend on
    budget: int
    seed: int
    note: str = ""  # a sentence on a choice that was made for the user


def plan_for(
    request: TuningRequest, stack: ExitStack, notify: Callable[[str], None], stopped: Callable[[], bool]
) -> TuningPlan:
    """Plan for any backend; `stack` closes the connection to a running stack. Raises UserError.

    `notify` takes a note on what a running stack is waited for, and '' when that is over; `stopped` ends the wait.
    """
    if request.backend != "live":
        return make_plan(request)
    from crawler_studies.tuning.live_plan import make_live_plan  # imports ROS

    return make_live_plan(request, stack, notify, stopped)


def make_plan(request: TuningRequest) -> TuningPlan:
    """Plan for a backend without a running stack. Raises UserError."""
    if request.backend == "ring":
        raise UserError("the backend 'ring' has a new name: give the backend live.")
    if request.namespace or request.keep_best:
        raise UserError("a namespace and keeping the best gait need a running stack: give the backend live.")
    if request.backend not in BACKENDS:
        raise unknown_name("backend for tuning", request.backend, BACKENDS)
    check_request(request)
    spec = load_robot(request.robot, request.settings.get("robot"))
    gait, note = choose_gait(spec, request.gait, named_parameters(request))
    case = StudyCase(request.robot, gait, study_sections(request.settings), request.law)
    if request.backend in ENGINES:
        physics = PhysicsEvaluator.of(case, request.settings.get("backend") or {}, request.backend)
        return complete_plan(request, case, physics, physics.identity, note)
    return complete_plan(request, case, ModelEvaluator(case), {}, note)


def complete_plan(
    request: TuningRequest, case: StudyCase, evaluator: Evaluator, backend_identity: Mapping[str, Any], note: str = ""
) -> TuningPlan:
    """Plan the tuning of `case` with `evaluator`, whose results also depend on `backend_identity`. Raises UserError."""
    case.law_entry.check(case.spec)
    for name in varied_parameters(request):
        if find_search(case.spec, name):
            raise UserError(f"{name} has a search of its own: 'crawler tune --over {name}' alone finds it.")
    space = make_space(case, request.over)
    case.check_settings()
    samples = SPREAD_SAMPLES if evaluator.backend == "model" else SLOW_SPREAD_SAMPLES
    criterion, minimised = request.minimise or request.maximise, bool(request.minimise)
    objective = make_objective(criterion, case, request.friction_set, request.spread, samples, minimised)
    for name in space.names:
        section, _, key = name.partition(".")
        if key in (case.settings.get(section) or {}):
            raise UserError(f"{name} is varied and set at once: do one of the two.")
    identity = {
        "study": "tuning",
        **study_identity(case, space.names),
        "backend.name": stored_backend(evaluator.backend),
        "backend": dict(backend_identity),
        **({"minimise": request.minimise} if request.minimise else {"maximise": request.maximise}),
        "frictions": [list(scales) for scales in objective.frictions],
        "over": {variable.name: [variable.low, variable.high] for variable in space.variables},
        "seed": request.seed,
    }
    return TuningPlan(case, space, objective, evaluator, identity, request.budget, request.seed, note)


def check_request(request: TuningRequest) -> None:
    """Raise UserError for numbers and sections that no backend can use."""
    if not 1 <= request.budget <= MAX_EVALUATIONS:
        raise UserError(f"a budget of {request.budget} is not allowed: give 1 to {MAX_EVALUATIONS} evaluations.")
    if request.seed < 0:
        raise UserError(f"a seed of {request.seed} is not allowed: give 0 or more.")
    check_sections(request.settings, request.backend, "a tuning")


def named_parameters(request: TuningRequest) -> list[str]:
    """Return the full names of the parameters that are varied or set."""
    set_parameters = [f"{section}.{key}" for section, values in request.settings.items() for key in values or {}]
    return varied_parameters(request) + set_parameters


def varied_parameters(request: TuningRequest) -> list[str]:
    """Return the full names of the parameters that are varied."""
    return [word.strip().partition("=")[0] for word in request.over]


def study_path(plan: TuningPlan, given: str) -> Path:
    """Return `given`, or the default path of the plan's study. Raises UserError."""
    if given:
        return Path(given)
    case, variables = plan.case, [name.replace(".", "-") for name in plan.space.names[:3]]
    parts = [case.spec.name, case.gait_name, stored_backend(plan.evaluator.backend), plan.objective.label, *variables]
    return default_study_path(parts, plan.identity, ".sqlite")
