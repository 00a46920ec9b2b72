"""The plan of a tuning on a running ring: what is fixed there, and what cannot be done there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from crawler_core.errors import UserError
from crawler_core.robot.names import check_namespace
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.evaluators.live_evaluator import LiveEvaluator, attach
from crawler_studies.evaluators.live_link import LiveLink
from crawler_studies.study.extra_columns import extra_columns
from crawler_studies.study.study_case import StudyCase
from crawler_studies.tuning.objective import KINDS
from crawler_studies.tuning.plan import Request, TuningPlan, assemble, check_request, names, varied


def make_live_plan(
    request: Request, stack: ExitStack, say: Callable[[str], None], stopped: Callable[[], bool]
) -> TuningPlan:
    """A checked plan for the ring in the request's namespace. Its evaluator's link is closed with `stack`.

    `say` hears what is being waited for, and '' when that is over. Raises UserError.
    """
    namespace = check_namespace(request.namespace)
    check_request(request)
    asked = load_robot(request.robot)
    _refuse(request, asked)
    link = LiveLink(asked, namespace)
    stack.callback(link.close)
    ring = attach(link, namespace)
    there = load_robot(ring.robot).name
    if asked.name != there:
        raise UserError(f"the ring is a {there} and the tuning is about {asked.name}: give the robot {there}.")
    if request.gait and request.gait != ring.gait:
        raise UserError(
            f"the ring crawls with the gait {ring.gait}, and a running ring cannot change to {request.gait}: start it "
            f"with --gait {request.gait}."
        )
    free = varied(request)
    fixed = {name: value for name, value in ring.values.items() if f"gait.{name}" not in free}
    gait = {**fixed, **(request.settings.get("gait") or {})}
    case = StudyCase(ring.robot, ring.gait, {"robot": dict(ring.overrides), "gait": gait})
    evaluator = LiveEvaluator(link, ring, case, say, stopped)
    return assemble(request, case, evaluator, {"namespace": namespace})


def _refuse(request: Request, asked: RobotSpec) -> None:
    for name in names(request):
        if name.startswith("robot."):
            raise UserError(f"{name} cannot be changed on a running ring, which has the robot that it has.")
        if name.startswith("controller."):
            raise UserError(f"{name} is the law's, and a tuning on a running ring changes the gait alone.")
    if request.law:
        raise UserError("a running ring has the law that it has: name none.")
    objective = request.minimise or request.maximise
    if objective in KINDS and KINDS[objective].over_frictions is not None:
        raise UserError(f"{objective} needs other frictions than the running ring's own: maximise step or speed there.")
    if objective in extra_columns(asked):
        raise UserError(f"{objective} is not measured on a running ring: maximise step or speed there.")
