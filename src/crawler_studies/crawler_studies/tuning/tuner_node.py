"""The tuner node: tuning as a ROS action. docs/tuning.md explains its terms, which are those of `crawler tune`."""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Generator
from contextlib import ExitStack
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
from crawler_studies.evaluators.friction_sets import DEFAULT_SPREAD
from crawler_studies.tuning.plan import TuningPlan, TuningRequest, plan_for, study_path
from crawler_studies.tuning.tuning_loop import TuningState, open_tuning, read_tuning, tune

POLL_PERIOD_S = 0.01  # between two looks at the running tuning
CLEANUP_TIMEOUT_S = 1.2  # for a running tuning to put the gait of a running stack back


def request_of(goal: Tune.Goal) -> TuningRequest:
    """Return the request in a goal. Raises UserError where its parts do not fit together."""
    if (len(goal.low), len(goal.high)) not in ((0, 0), (len(goal.variables),) * 2):
        raise UserError(
            f"there are {len(goal.variables)} variables, {len(goal.low)} lower and {len(goal.high)} upper ends: give "
            "as many of each, or no ends at all."
        )
    ends = [f"={low!r}:{high!r}" for low, high in zip(goal.low, goal.high, strict=True)] or [""] * len(goal.variables)
    default = TuningRequest()
    objective = goal.objective or default.maximise
    return TuningRequest(
        robot=goal.robot or default.robot,
        gait=goal.gait,
        maximise=objective,
        minimise=objective if goal.minimise else "",
        law=goal.controller,
        over=tuple(name + end for name, end in zip(goal.variables, ends, strict=True)),
        settings=sections_in(parse_yaml(goal.settings, "settings"), "settings"),
        friction_set=goal.friction_set or default.friction_set,
        spread=goal.spread or DEFAULT_SPREAD,
        budget=goal.budget,
        seed=goal.seed,
        backend=goal.backend or default.backend,
        namespace=goal.stack_namespace,
        keep_best=goal.keep_best,
    )


class TunerNode(Node):
    """Serves the action `tune`, one goal at a time.

    ROS gives a rejected goal no message. An impossible goal is therefore accepted and aborted at once, with a sentence
    in its result.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__("tuner", **node_options)
        self._tuning: _TuningThread | None = None
        self._diagnostics = DiagnosticsReporter(self)
        self._diagnostics.set(OK, "idle")
        self._server = ActionServer(self, Tune, "tune", self._execute, cancel_callback=lambda _: CancelResponse.ACCEPT)

    async def _execute(self, goal: ServerGoalHandle) -> Tune.Result:
        if self._tuning is not None:
            goal.abort()
            return Tune.Result(
                best_value=math.nan, message="another tuning is under way: wait for its end, or cancel it."
            )
        tuning = self._tuning = _TuningThread(goal.request)
        tuning.start()
        self._diagnostics.set(OK, f"tuning {goal.request.objective}")
        while tuning.is_alive():
            if goal.is_cancel_requested:
                tuning.stop.set()
            _publish_feedback(goal, tuning)
            await _NextSpin()
        _publish_feedback(goal, tuning)
        self._tuning = None
        self._diagnostics.set(OK, "idle")
        self.get_logger().info(tuning.result.message)
        if tuning.failed:
            goal.abort()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.succeed()
        return tuning.result

    def cleanup(self) -> None:
        """End a tuning that is under way; its study stays."""
        if self._tuning is not None:
            self._tuning.stop.set()
            self._tuning.join(CLEANUP_TIMEOUT_S)


def _publish_feedback(goal: ServerGoalHandle, tuning: _TuningThread) -> None:
    while not tuning.feedback.empty():
        goal.publish_feedback(tuning.feedback.get())


class _NextSpin:
    """Awaited by a coroutine to give control to the executor."""

    def __await__(self) -> Generator[None, None, None]:
        yield


class _TuningThread(threading.Thread):
    """Tunes for one goal. In a thread, since an evaluation may take long and the node must be able to cancel it."""

    def __init__(self, goal: Tune.Goal) -> None:
        super().__init__(daemon=True)
        self.stop = threading.Event()
        self.feedback: queue.SimpleQueue[Tune.Feedback] = queue.SimpleQueue()
        self.result = Tune.Result(best_value=math.nan)
        self.failed = False
        self._goal = goal
        self._state: TuningState | None = None

    def run(self) -> None:
        try:
            with ExitStack() as stack:
                self._tune(stack)
        except UserError as error:
            self.failed, self.result.message = True, str(error)
        except Exception as error:
            self.failed, self.result.message = True, f"the tuning broke: {error!r}; its study stays."

    def _tune(self, stack: ExitStack) -> None:
        plan = plan_for(request_of(self._goal), stack, self._report, self.stop.is_set)
        path = study_path(plan, self._goal.study)
        self.result.study = str(path.resolve())
        study = stack.enter_context(open_tuning(plan, path))
        self._state = read_tuning(plan, study)
        try:
            tune(plan, study, self._progress, self.stop.is_set)
        finally:
            problem = _restore_gait(plan, self._state, self._goal.keep_best)
            _fill_result(self.result, plan, self._state, problem)

    def _progress(self, state: TuningState) -> None:
        self._state = state
        self._report()

    def _report(self, note: str = "") -> None:
        self.feedback.put(_make_feedback(self._state, self._goal.budget, note))


def _restore_gait(plan: TuningPlan, state: TuningState, keep_best: bool) -> str:
    """Restore the gait of a running stack, or leave it in the best one. Returns why that failed, or ''."""
    if plan.evaluator.backend != "live":
        return ""
    from crawler_studies.evaluators.live_evaluator import LiveEvaluator

    assert isinstance(plan.evaluator, LiveEvaluator)
    return plan.evaluator.close(state.best.point if keep_best and state.best else None)


def _fill_result(result: Tune.Result, plan: TuningPlan, state: TuningState, problem: str) -> None:
    best, count = state.best, len(state.trials)
    result.variables = list(plan.space.names)
    result.best_point = list(best.point.values()) if best else []
    result.best_value = best.value if best else math.nan
    result.evaluations = count
    if state.finished:
        end = "the budget is used up" if best else "the budget is used up, and nothing was valid"
    else:
        end = f"stopped after {count} of {state.budget} evaluations: the same goal goes on there"
    result.message = ". ".join(part for part in (plan.note.rstrip("."), end, problem.rstrip(".")) if part) + "."


def _make_feedback(state: TuningState | None, budget: int, note: str) -> Tune.Feedback:
    latest = state.trials[-1] if state and state.trials else None
    best = state.best if state else None
    return Tune.Feedback(
        evaluations=len(state.trials) if state else 0,
        budget=state.budget if state else budget,
        point=list(latest.point.values()) if latest else [],
        value=latest.value if latest else math.nan,
        reason=latest.reason if latest else "",
        best_point=list(best.point.values()) if best else [],
        best_value=best.value if best else math.nan,
        note=note,
    )


def main() -> None:
    run_node(
        TunerNode,
        cleanup=TunerNode.cleanup,
        executor=lambda node: PriorityExecutor(node, batch_period=POLL_PERIOD_S),
    )
