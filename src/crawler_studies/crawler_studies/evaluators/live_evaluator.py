"""Evaluation by a running stack, simulated or on motors: its gait is changed and its odometry measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError
from crawler_core.files import parse_yaml
from crawler_core.parameters import describe
from crawler_core.safety.supervisor import MotionState
from crawler_nodes.run_log.measure_source import measured_by
from crawler_studies.evaluators.convergence import Stride, StrideConvergence, find_lifted_foot
from crawler_studies.evaluators.evaluator import EvaluationStopped, Result
from crawler_studies.evaluators.live_link import LiveLink
from crawler_studies.study.study_case import Point, StudyCase, group_by_section
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import GAITS
from gait_generators.kinds.limit_check import check_limits
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition

ATTACH_TIMEOUT_S = 10.0  # of wall time
ODOMETRY_TIMEOUT_S = 3.0  # of wall time, after which the stack counts as lost
MAX_FAULTS = 2  # at one point, until the point counts as their cause


class _Disturbed(Exception):
    """The evaluation was disturbed, and is repeated."""


@dataclass(frozen=True)
class LiveGait:
    """The robot and the gait of a running stack."""

    robot: str
    overrides: Mapping[str, Any]  # of the robot's parameters
    gait: str
    values: Mapping[str, Any]  # the gait's parameters
    horizon: float  # s that the reference is published ahead

    @staticmethod
    def of(parameters: Mapping[str, Any]) -> LiveGait:
        """Return the gait in the parameters of a gait node."""
        gait = parameters["gait"]
        return LiveGait(
            robot=parameters["robot"],
            overrides=parse_yaml(parameters["robot_overrides"], "robot_overrides"),
            gait=gait,
            values={info.name: parameters[info.name] for info in describe(GAITS[gait].parameters)},
            horizon=parameters["horizon"] + parameters["refresh"],
        )


def read_live_gait(link: LiveLink, namespace: str) -> LiveGait:
    """Read the gait of the stack behind `link`. Raises UserError where there is no stack, or none that can be tuned."""
    where = f" in the namespace {namespace}" if namespace else ""
    try:
        parameters = link.gait_parameters()
    except TimeoutError as error:
        raise UserError(
            f"there is no running stack{where} ({error}): start one with `./crawler run --duration 0`, or give its "
            "--namespace and ROS_DOMAIN_ID."
        ) from None
    if not link.wait(lambda: bool(link.log.base.poses and link.motion), ATTACH_TIMEOUT_S):
        raise UserError(
            f"the stack{where} cannot be tuned: it publishes neither ground_truth/odom nor odom, or no diagnostics. "
            "Start it with an estimator (backend.estimator)."
        )
    return LiveGait.of(parameters)


class LiveEvaluator:
    """Evaluates steady crawling of a running stack. `close` restores its gait.

    An interruption (an e-stop, a fault, a robot that is switched off) is reported by `notify`, once. When the robot
    moves again, `notify` takes an empty note and the evaluation starts again.
    """

    backend = "live"

    def __init__(
        self,
        link: LiveLink,
        live_gait: LiveGait,
        case: StudyCase,
        notify: Callable[[str], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._link = link
        self._live_gait = live_gait
        self._case = case
        self._notify = notify
        self._stopped = stopped
        self._last_note = ""
        self._gait: Gait | None = None  # None: it is not known whether it is in force

    @property
    def measured_by(self) -> str:
        """The source of measured steps: ground truth, external pose or estimate."""
        return measured_by(self._link.log)

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        """Return the results in the order of the points. Raises EvaluationStopped where it shall end meanwhile."""
        return [self._evaluate_point(point) for point in points]

    def close(self, keep: Point | None = None) -> str:
        """Restore the gait of the start, or set the one at `keep`. Returns why that was not possible, or ''."""
        values = {**self._live_gait.values, **(self._gait_values(keep) if keep is not None else {})}
        try:
            return self._link.set_gait(values)
        except TimeoutError as error:
            return f"the gait could not be put back: {error}."

    def _gait_values(self, point: Point) -> dict[str, Any]:
        """Return the gait's parameters at `point`, of the types that the gait node takes."""
        values = {**self._case.settings["gait"], **group_by_section(point).get("gait", {})}
        infos = self._case.infos
        return {
            name: infos[f"gait.{name}"].type(value) if f"gait.{name}" in infos else value
            for name, value in values.items()
        }

    def _evaluate_point(self, point: Point) -> Result:
        try:
            spec, gait = self._case.at(point)
            check_limits(spec, gait)
        except UserError as error:
            return Result.invalid(str(error))
        faults = 0
        while True:
            self._wait_until_moving()
            try:
                return self._measure(point, gait)
            except _Disturbed:
                self._gait = None
            if self._link.motion == MotionState.FAULTED.value:
                faults += 1
                fault = self._link.fault.rstrip(".")
                self._restore_after_fault()
                if faults >= MAX_FAULTS:
                    return Result.invalid(f"the robot stops: {fault}.")

    def _measure(self, point: Point, gait: Gait) -> Result:
        """Measure once. Raises _Disturbed where the robot stops meanwhile."""
        link, log = self._link, self._link.log
        try:
            rejection = link.set_gait(self._gait_values(point))
        except TimeoutError:
            raise _Disturbed from None
        if rejection:
            return Result.invalid(rejection)
        log.clear()
        self._monitor_until(lambda: True)  # the messages that were sent before the answer
        begin = log.base.now + self._settling_time(gait)
        self._monitor_until(lambda: log.base.now >= begin)
        log.clear()
        stride = self._converge(StrideConvergence(log.base.now, gait.period))
        self._gait = gait
        if foot := find_lifted_foot(log, {foot.name for foot in self._case.spec.feet if foot.lifts}):
            return Result.invalid(f"{foot} leaves the ground.")
        if math.isnan(stride.length):
            return Result.invalid("the step length does not settle.")
        return Result(stride.length, stride.length / stride.period, valid=True)

    def _converge(self, convergence: StrideConvergence) -> Stride:
        strides: list[Stride | None] = []

        def is_steady() -> bool:
            strides.append(convergence.result(self._link.log))
            return strides[-1] is not None

        self._monitor_until(is_steady)
        stride = strides[-1]
        assert stride is not None
        return stride

    def _settling_time(self, gait: Gait) -> float:
        """Return how long the gait node takes at most until `gait` is in force, s of the stack's time.

        The node finishes a period that is not published yet, and changes over from there. After a disturbance the gait
        before is not known: the gait of the start is then the slowest assumption.
        """
        values = {f"gait.{name}": value for name, value in self._live_gait.values.items()}
        spec, first = self._case.at(values)
        old = self._gait or first
        try:
            present = PhaseShiftedGait.after(spec, PhaseShiftedGait(old, 0.0, 0.0 * old.sample(0.0).position), old, 0.0)
            target = PhaseShiftedGait.after(spec, present, gait, 0.0)
            transition_time = plan_transition(spec, present, target, 0.0, gait.period).duration
        except UserError:
            transition_time = gait.period
        finish_time = max(old.period, first.period if self._gait is None else 0.0)
        return self._live_gait.horizon + finish_time + transition_time

    def _monitor_until(self, until: Callable[[], bool]) -> None:
        """Monitor the stack until `until`. Raises _Disturbed where the robot stops meanwhile, or EvaluationStopped."""
        while True:
            self._spin_once()
            if self._stop_reason() or self._link.log.went_back:
                raise _Disturbed
            if until():
                return

    def _spin_once(self) -> None:
        self._link.spin_once()
        if self._stopped():
            raise EvaluationStopped

    def _stop_reason(self) -> str:
        """Return why the robot does not move, a sentence, or ''."""
        link = self._link
        if link.odometry_age > ODOMETRY_TIMEOUT_S:
            return "The stack publishes no odometry. Start it again, and the tuning goes on."
        if link.motion == MotionState.FAULTED.value:
            return f"The robot has a fault: {link.fault.rstrip('.')}. Put it right, then call reset and enable."
        if link.motion == MotionState.ESTOPPED.value:
            return "The robot is e-stopped: call its reset and enable services when it may move again."
        if link.motion != MotionState.ACTIVE.value:
            return f"The robot does not move, its motion is {link.motion}: call its enable service."
        return ""

    def _wait_until_moving(self) -> None:
        while reason := self._stop_reason():
            if reason != self._last_note:
                self._last_note = reason
                self._notify(reason)
            self._spin_once()
        if self._last_note:
            self._last_note = ""
            self._notify("")
        self._link.log.clear()

    def _restore_after_fault(self) -> None:
        """Set a gait that the robot is known to follow, for when it is enabled again."""
        with suppress(TimeoutError):  # a stack that is gone is reported by what follows
            self._link.set_gait(self._live_gait.values)
