"""The tuner node: tuning as a ROS action. The words are those of `crawler tune`; docs/tuning.md explains them."""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from crawler_interfaces.action import Tune
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from crawler_core.errors import UserError
from crawler_core.files import parse_yaml
from crawler_core.robot.sections import sections_in
from crawler_nodes.diagnostics import OK, DiagnosticsReporter
from crawler_nodes.node_main import run_node
from crawler_nodes.transport.priority_executor import PriorityExecutor
from crawler_studies.evaluators.friction_sets import SPREAD
from crawler_studies.tuning.plan import Request, TuningPlan, plan_for, study_path
from crawler_studies.tuning.tuning_loop import TuningState, open_tuning, read, tune

NAP = 0.01  # s between two looks at the running tuning
LEAVING = 1.2  # s that a running tuning is given to put a ring's gait back


def request_of(goal: Tune.Goal) -> Request:
    """The request in a goal. Raises UserError where its parts do not fit together."""
    if (len(goal.low), len(goal.high)) not in ((0, 0), (len(goal.variables),) * 2):
        raise UserError(
            f"there are {len(goal.variables)} variables, {len(goal.low)} lower and {len(goal.high)} upper ends: give "
            "as many of each, or no ends at all."
        )
    ends = [f"={low!r}:{high!r}" for low, high in zip(goal.low, goal.high, strict=True)] or [""] * len(goal.variables)
    default = Request()
    objective = goal.objective or default.maximise
    return Request(
        robot=goal.robot or default.robot,
        gait=goal.gait,
        maximise=objective,
        minimise=objective if goal.minimise else "",
        law=goal.controller,
        over=tuple(name + end for name, end in zip(goal.variables, ends, strict=True)),
        settings=sections_in(parse_yaml(goal.settings, "settings"), "settings"),
        friction_set=goal.friction_set or default.friction_set,
        spread=goal.spread or SPREAD,
        budget=goal.budget,
        seed=goal.seed,
        backend=goal.backend or default.backend,
        namespace=goal.stack_namespace,
        keep_best=goal.keep_best,
    )


@dataclass
class _Run:
    """A tuning in its thread, as the node sees it."""

    thread: threading.Thread
    end: threading.Event  # set: it shall end
    feedback: queue.SimpleQueue[Tune.Feedback]
    result: Tune.Result
    failed: bool = False


class TunerNode(Node):
    """Serves the action `tune`, one goal at a time.

    ROS gives a rejected goal no words. A goal that cannot be is therefore accepted and aborted at once, with a sentence
    in its result.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__("tuner", **node_options)
        self._run: _Run | None = None
        self._diagnostics = DiagnosticsReporter(self)
        self._diagnostics.set(OK, "idle")
        self._server = ActionServer(self, Tune, "tune", self._execute, cancel_callback=lambda _: CancelResponse.ACCEPT)

    async def _execute(self, goal: ServerGoalHandle) -> Tune.Result:
        if self._run is not None:
            goal.abort()
            return Tune.Result(
                best_value=math.nan, message="another tuning is under way: wait for its end, or cancel it."
            )
        run = self._run = self._start(goal.request)
        self._diagnostics.set(OK, f"tuning {goal.request.objective}")
        while run.thread.is_alive():
            if goal.is_cancel_requested:
                run.end.set()
            self._publish(goal, run)
            await _Turn()
        self._publish(goal, run)
        self._run = None
        self._diagnostics.set(OK, "idle")
        self.get_logger().info(run.result.message)
        if run.failed:
            goal.abort()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.succeed()
        return run.result

    def _publish(self, goal: ServerGoalHandle, run: _Run) -> None:
        while not run.feedback.empty():
            goal.publish_feedback(run.feedback.get())

    def _start(self, goal: Tune.Goal) -> _Run:
        # a thread, because an evaluation may take long and the node must hear of a cancel meanwhile
        thread = threading.Thread(target=lambda: _work(goal, run), daemon=True)
        run = _Run(thread, threading.Event(), queue.SimpleQueue(), Tune.Result(best_value=math.nan))
        thread.start()
        return run

    def leave(self) -> None:
        """End a tuning that is under way; its study is kept."""
        if self._run is not None:
            self._run.end.set()
            self._run.thread.join(LEAVING)


class _Turn:
    """Awaited by a coroutine to let the executor go on."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def _work(goal: Tune.Goal, run: _Run) -> None:
    """The tuning itself, in its thread."""
    try:
        with ExitStack() as stack:
            _tune(goal, run, stack)
    except UserError as error:
        run.failed, run.result.message = True, str(error)
    except Exception as error:
        run.failed, run.result.message = True, f"the tuning broke: {error!r}; its study is kept."


def _tune(goal: Tune.Goal, run: _Run, stack: ExitStack) -> None:
    latest = Tune.Feedback(value=math.nan, best_value=math.nan, budget=goal.budget)

    def say(note: str) -> None:
        latest.note = note
        run.feedback.put(_copy(latest))

    def progress(standing: TuningState) -> None:
        nonlocal latest
        latest = _feedback(standing)
        run.feedback.put(_copy(latest))

    plan = plan_for(request_of(goal), stack, say, run.end.is_set)
    path = study_path(plan, goal.study)
    run.result.study = str(path.resolve())
    study = stack.enter_context(open_tuning(plan, path))
    standing = read(plan, study)
    try:
        standing = tune(plan, study, progress, run.end.is_set)
    finally:
        message = _leave_ring(goal, plan, standing)
        _fill(run.result, plan, standing, message)


def _leave_ring(goal: Tune.Goal, plan: TuningPlan, standing: TuningState) -> str:
    if plan.evaluator.backend != "ring":
        return ""
    from crawler_studies.evaluators.live_evaluator import LiveEvaluator

    assert isinstance(plan.evaluator, LiveEvaluator)
    return plan.evaluator.close(standing.best.point if goal.keep_best and standing.best else None)


def _fill(result: Tune.Result, plan: TuningPlan, standing: TuningState, trouble: str) -> None:
    best, done = standing.best, len(standing.trials)
    result.variables = list(plan.space.names)
    result.best_point = list(best.point.values()) if best else []
    result.best_value = best.value if best else math.nan
    result.evaluations = done
    if standing.finished:
        how = "the budget is used up" if best else "the budget is used up, and nothing was valid"
    else:
        how = f"stopped after {done} of {standing.budget} evaluations: the same goal goes on there"
    result.message = ". ".join(part for part in (plan.note.rstrip("."), how, trouble.rstrip(".")) if part) + "."


def _feedback(standing: TuningState) -> Tune.Feedback:
    latest = standing.trials[-1] if standing.trials else None
    best = standing.best
    return Tune.Feedback(
        evaluations=len(standing.trials),
        budget=standing.budget,
        point=list(latest.point.values()) if latest else [],
        value=latest.value if latest else math.nan,
        reason=latest.reason if latest else "",
        best_point=list(best.point.values()) if best else [],
        best_value=best.value if best else math.nan,
    )


def _copy(feedback: Tune.Feedback) -> Tune.Feedback:
    fields = feedback.get_fields_and_field_types()
    return Tune.Feedback(**{name: getattr(feedback, name) for name in fields})


def main() -> None:
    run_node(TunerNode, leave=TunerNode.leave, spinner=lambda node: PriorityExecutor(node, nap=NAP))
