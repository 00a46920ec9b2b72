"""Planning of a tuning on a running stack, which fixes the robot, the gait and the law."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from crawler_core.errors import UserError
from crawler_core.robot.installed_robot import check_installed
from crawler_core.robot.names import check_namespace
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.evaluators.live_evaluator import LiveEvaluator, read_live_gait
from crawler_studies.evaluators.live_link import LiveLink
from crawler_studies.study.study_case import StudyCase, extra_columns
from crawler_studies.tuning.objective import CRITERIA
from crawler_studies.tuning.plan import (
    TuningPlan,
    TuningRequest,
    check_request,
    complete_plan,
    named_parameters,
    varied_parameters,
)


def make_live_plan(
    request: TuningRequest, stack: ExitStack, notify: Callable[[str], None], stopped: Callable[[], bool]
) -> TuningPlan:
    """Plan for the running stack in the request's namespace; `stack` closes its link. Raises UserError.

    `notify` takes a note on what is waited for, and '' when that is over.
    """
    namespace = check_namespace(request.namespace)
    check_request(request)
    asked = load_robot(request.robot)
    _check_live_request(request, asked)
    link = LiveLink(asked, namespace)
    stack.callback(link.close)
    live_gait = read_live_gait(link, namespace)
    robot = live_gait.robot
    if robot.endswith((".yaml", ".yml")) and Path(robot).resolve() == Path(request.robot).resolve():
        robot = request.robot  # the user has named this file
    else:
        check_installed(robot, "the running stack")
    running = load_robot(robot).name
    if asked.name != running:
        raise UserError(
            f"the running stack has the robot {running}, and the tuning is of {asked.name}: give the robot {running}."
        )
    if request.gait and request.gait != live_gait.gait:
        raise UserError(
            f"the running stack has the gait {live_gait.gait} and cannot change to {request.gait}: start it with "
            f"--gait {request.gait}."
        )
    varied = varied_parameters(request)
    fixed = {name: value for name, value in live_gait.values.items() if f"gait.{name}" not in varied}
    gait_settings = {**fixed, **(request.settings.get("gait") or {})}
    case = StudyCase(robot, live_gait.gait, {"robot": dict(live_gait.overrides), "gait": gait_settings})
    evaluator = LiveEvaluator(link, live_gait, case, notify, stopped)
    return complete_plan(request, case, evaluator, {"namespace": namespace})


def _check_live_request(request: TuningRequest, spec: RobotSpec) -> None:
    for name in named_parameters(request):
        if name.startswith("robot."):
            raise UserError(f"{name} cannot be changed on a running stack: its robot is fixed.")
        if name.startswith("controller."):
            raise UserError(f"{name} cannot be changed on a running stack: a tuning changes its gait alone.")
    if request.law:
        raise UserError("the law of a running stack cannot be chosen: name none.")
    objective = request.minimise or request.maximise
    if objective in CRITERIA and CRITERIA[objective].over_frictions is not None:
        raise UserError(f"{objective} is not possible on a running stack, whose friction is fixed: take step or speed.")
    if objective in extra_columns(spec):
        raise UserError(f"{objective} is not measured on a running stack: take step or speed.")
