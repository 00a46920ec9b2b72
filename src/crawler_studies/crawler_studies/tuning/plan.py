"""A tuning as it was asked for, checked, before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_file import load_robot
from crawler_studies.evaluators.evaluator import Evaluator
from crawler_studies.evaluators.friction_sets import SAMPLES, SPREAD
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.study.study_case import StudyCase, check_sections, study_sections
from crawler_studies.study.study_identity import study_identity
from crawler_studies.study.study_paths import default_study_path
from crawler_studies.tuning.gait_choice import choose_gait
from crawler_studies.tuning.objective import Objective, make_objective
from crawler_studies.tuning.optimiser.space import TuningSpace, make_space
from crawler_studies.tuning.parameter_search import search_for
from sim_bridge.physics.engines import ENGINES

BACKENDS = ("model", *ENGINES, "ring")
FEW_SAMPLES = 9  # of the frictions, where each takes seconds
MOST_EVALUATIONS = 1000  # a Gaussian process takes the cube of it
Settings = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Request:
    """What the user wants."""

    robot: str = ""  # empty: the installation's default
    gait: str = ""  # empty: the robot's default, or the one that has all the variables
    maximise: str = "step"
    minimise: str = ""  # in its place
    law: str = ""  # empty: the robot's default
    over: Sequence[str] = ()  # gait.psi or gait.psi=0:180
    settings: Settings = field(default_factory=dict)
    friction_set: str = "asymmetric"
    spread: float = SPREAD
    budget: int = 60
    seed: int = 0
    backend: str = "model"
    namespace: str = ""  # of the ring that is the backend
    keep_best: bool = False  # leave it in the best gait, not in the one that it had


@dataclass(frozen=True)
class TuningPlan:
    """What is to be tuned, checked."""

    case: StudyCase
    space: TuningSpace
    objective: Objective
    evaluator: Evaluator
    identity: Mapping[str, Any]  # what the evaluations, and their order, depend on
    budget: int
    seed: int
    note: str = ""  # what was chosen for the user, a sentence


def plan_for(request: Request, stack: ExitStack, say: Callable[[str], None], stopped: Callable[[], bool]) -> TuningPlan:
    """A checked plan for any backend; what it holds of a ring is let go with `stack`. Raises UserError.

    `say` hears what a ring is waited for, and '' when that is over; `stopped` is whether that shall end.
    """
    if request.backend != "ring":
        return make_plan(request)
    from crawler_studies.tuning.live_plan import make_live_plan  # which takes ROS with it

    return make_live_plan(request, stack, say, stopped)


def make_plan(request: Request) -> TuningPlan:
    """A checked plan for the backends that need no ring. Raises UserError."""
    if request.namespace or request.keep_best:
        raise UserError("a namespace and keeping the best gait are about a running ring: give the backend ring.")
    if request.backend not in BACKENDS:
        raise unknown_name("backend for tuning", request.backend, BACKENDS)
    check_request(request)
    gait, note = choose_gait(load_robot(request.robot, request.settings.get("robot")), request.gait, names(request))
    case = StudyCase(request.robot, gait, study_sections(request.settings), request.law)
    if request.backend in ENGINES:
        physics = PhysicsEvaluator.of(case, request.settings.get("backend") or {}, request.backend)
        return assemble(request, case, physics, physics.identity, note)
    return assemble(request, case, ModelEvaluator(case), {}, note)


def assemble(
    request: Request, case: StudyCase, evaluator: Evaluator, own: Mapping[str, Any], note: str = ""
) -> TuningPlan:
    """The plan for tuning `case` with `evaluator`, whose results depend on `own` besides. Raises UserError."""
    case.law_entry.check(case.spec)
    for name in varied(request):
        if search_for(case.spec, name):
            raise UserError(f"{name} has a search of its own: 'crawler tune --over {name}' alone finds it.")
    space = make_space(case, request.over)
    case.check_settings()
    samples = SAMPLES if evaluator.backend == "model" else FEW_SAMPLES
    objective = make_objective(
        request.minimise or request.maximise,
        case,
        request.friction_set,
        request.spread,
        samples,
        least=bool(request.minimise),
    )
    for name in space.names:
        section, _, key = name.partition(".")
        if key in (case.settings.get(section) or {}):
            raise UserError(f"{name} is varied and set at once: do one of the two.")
    identity = {
        "study": "tuning",
        **study_identity(case, space.names),
        "backend.name": evaluator.backend,
        "backend": dict(own),
        **({"minimise": request.minimise} if request.minimise else {"maximise": request.maximise}),
        "frictions": [list(scales) for scales in objective.frictions],
        "over": {variable.name: [variable.low, variable.high] for variable in space.variables},
        "seed": request.seed,
    }
    return TuningPlan(case, space, objective, evaluator, identity, request.budget, request.seed, note)


def check_request(request: Request) -> None:
    """Raise UserError for numbers and sections that no backend can use."""
    if not 1 <= request.budget <= MOST_EVALUATIONS:
        raise UserError(f"a budget of {request.budget} is not allowed: give 1 to {MOST_EVALUATIONS} evaluations.")
    if request.seed < 0:
        raise UserError(f"a seed of {request.seed} is not allowed: give 0 or more.")
    check_sections(request.settings, request.backend, "a tuning")


def names(request: Request) -> list[str]:
    """Every parameter that is varied or set, by its full name."""
    return varied(request) + [
        f"{section}.{key}" for section, values in request.settings.items() for key in values or {}
    ]


def varied(request: Request) -> list[str]:
    """The parameters that are varied, by their full names."""
    return [word.strip().partition("=")[0] for word in request.over]


def study_path(plan: TuningPlan, given: str) -> Path:
    """Where the study is: `given`, or the same place for the same plan and no other. Raises UserError."""
    if given:
        return Path(given)
    case = plan.case
    varied = [name.replace(".", "-") for name in plan.space.names[:3]]
    parts = [case.spec.name, case.gait_name, plan.evaluator.backend, plan.objective.label, *varied]
    return default_study_path(parts, plan.identity, ".sqlite")
