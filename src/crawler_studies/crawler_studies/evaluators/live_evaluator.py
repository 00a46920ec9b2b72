"""Evaluation by a ring that runs already, simulated or on the table: its gait is changed, its odometry measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError
from crawler_core.files import parse_yaml
from crawler_core.parameters import describe
from crawler_core.safety.supervisor import MotionState
from crawler_studies.evaluators.convergence import Stride, StrideConvergence, find_lifted_foot
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.evaluators.live_link import LiveLink
from crawler_studies.study.study_case import Point, StudyCase
from crawler_studies.tuning.objective import Stopped
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import GAITS
from gait_generators.kinds.limit_check import check_limits
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition

ATTACH = 10.0  # s of wall time in which a ring is found
SILENCE = 3.0  # s of wall time without odometry after which the ring counts as lost
MOST_FAULTS = 2  # of one point, until the point is to blame


class _Again(Exception):
    """The evaluation was disturbed, and is repeated."""


@dataclass(frozen=True)
class LiveGait:
    """What a ring crawls with."""

    robot: str
    overrides: Mapping[str, Any]  # of the robot's parameters
    gait: str
    values: Mapping[str, Any]  # the gait's parameters
    horizon: float  # s that the reference is published ahead

    @staticmethod
    def of(parameters: Mapping[str, Any]) -> LiveGait:
        """From the parameters of a gait node."""
        gait = parameters["gait"]
        return LiveGait(
            robot=parameters["robot"],
            overrides=parse_yaml(parameters["robot_overrides"], "robot_overrides"),
            gait=gait,
            values={info.name: parameters[info.name] for info in describe(GAITS[gait].parameters)},
            horizon=parameters["horizon"] + parameters["refresh"],
        )


def attach(link: LiveLink, namespace: str) -> LiveGait:
    """The gait of the ring behind `link`. Raises UserError where there is no ring, or none that moves."""
    where = f" in the namespace {namespace}" if namespace else ""
    try:
        parameters = link.parameters()
    except TimeoutError as error:
        raise UserError(
            f"there is no ring{where} ({error}): start one with `./crawler run --duration 0`, or give its --namespace "
            "and ROS_DOMAIN_ID."
        ) from None
    if not link.wait(lambda: bool(link.log.odometry and link.motion), ATTACH):
        raise UserError(f"the ring{where} does not say where the robot is: tuning needs its odom and diagnostics.")
    return LiveGait.of(parameters)


class LiveEvaluator:
    """Steady crawling of a running ring. `close` puts its gait back.

    What interrupts an evaluation (an e-stop, a fault, a robot that is switched off) is said to `say`, once; when the
    robot moves again, the evaluation starts again.
    """

    backend = "ring"

    def __init__(
        self,
        link: LiveLink,
        ring: LiveGait,
        case: StudyCase,
        say: Callable[[str], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._link = link
        self._ring = ring
        self._subject = case
        self._say = say
        self._stopped = stopped
        self._said = ""
        self._gait: Gait | None = None  # None: it is not known whether it is in force

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        """Raises Stopped where it is asked to end meanwhile."""
        return [self._one(point) for point in points]

    def close(self, leave: Point | None = None) -> str:
        """Put the gait back to what it was, or to `leave`. Returns why that was not possible, or ''."""
        values = {**self._ring.values, **(self._values(leave) if leave is not None else {})}
        try:
            return self._link.set(values)
        except TimeoutError as error:
            return f"the gait could not be put back: {error}."

    def _values(self, point: Point) -> dict[str, Any]:
        """The gait's parameters at `point`, as the gait node takes them."""
        said = {**self._subject.settings["gait"], **{name.partition(".")[2]: value for name, value in point.items()}}
        return {
            name: self._subject.infos[f"gait.{name}"].type(value) if f"gait.{name}" in self._subject.infos else value
            for name, value in said.items()
        }

    def _one(self, point: Point) -> Result:
        try:
            spec, gait = self._subject.at(point)
            check_limits(spec, gait)
        except UserError as error:
            return Result.invalid(str(error))
        faults = 0
        while True:
            self._until_moving()
            try:
                return self._attempt(point, gait)
            except _Again:
                self._gait = None
            if self._link.motion == MotionState.FAULTED.value:
                faults += 1
                fault = self._link.trouble.rstrip(".")
                self._put_back()
                if faults >= MOST_FAULTS:
                    return Result.invalid(f"the robot stops: {fault}.")

    def _attempt(self, point: Point, gait: Gait) -> Result:
        """One measurement. Raises _Again where something interrupts it."""
        link, log = self._link, self._link.log
        try:
            refusal = link.set(self._values(point))
        except TimeoutError:
            raise _Again from None
        if refusal:
            return Result.invalid(refusal)
        log.clear()
        self._listen(lambda: True)  # what was sent before the answer
        begin = log.now + self._until_in_force(gait)
        self._listen(lambda: log.now >= begin)
        log.clear()
        measurement = StrideConvergence(log.now, gait.period)
        strides: list[Stride | None] = []

        def settled() -> bool:
            strides.append(measurement.result(log))
            return strides[-1] is not None

        self._listen(settled)
        self._gait = gait
        stride = strides[-1]
        assert stride is not None
        if foot := find_lifted_foot(log, {one.name for one in self._subject.spec.feet if one.lifts}):
            return Result.invalid(f"{foot} leaves the ground.")
        if math.isnan(stride.length):
            return Result.invalid("the step length does not settle.")
        return Result(stride.length, stride.length / stride.period, valid=True)

    def _until_in_force(self, gait: Gait) -> float:
        """How long the gait node takes at most to be in `gait`, s of the ring's time.

        It goes on to the end of a period that is not published yet, and fades over from there. Where the gait before is
        not known, because it was disturbed, the robot's slowest guess is the one that was there at first.
        """
        spec, first = self._subject.at({f"gait.{name}": value for name, value in self._ring.values.items()})
        old = self._gait or first
        try:
            present = PhaseShiftedGait.after(spec, PhaseShiftedGait(old, 0.0, 0.0 * old.sample(0.0).position), old, 0.0)
            fade = plan_transition(
                spec, present, PhaseShiftedGait.after(spec, present, gait, 0.0), 0.0, gait.period
            ).duration
        except UserError:
            fade = gait.period
        return self._ring.horizon + max(old.period, first.period if self._gait is None else 0.0) + fade

    def _listen(self, until: Callable[[], bool]) -> None:
        """Listen to the ring until `until`. Raises _Again where the robot stops meanwhile, Stopped at the end."""
        while True:
            self._link.turn()
            if self._stopped():
                raise Stopped
            if self._why_not() or self._link.log.went_back:
                raise _Again
            if until():
                return

    def _why_not(self) -> str:
        """Why the robot does not move, a sentence, or ''."""
        link = self._link
        if link.silence > SILENCE:
            return "The ring is silent: no odometry comes. Start it again, and the tuning goes on."
        if link.motion == MotionState.FAULTED.value:
            return f"The robot has a fault: {link.trouble.rstrip('.')}. Put it right, then call reset and enable."
        if link.motion == MotionState.ESTOPPED.value:
            return "The robot is e-stopped: call its reset and enable services when it may move again."
        if link.motion != MotionState.ACTIVE.value:
            return f"The robot does not move, its motion is {link.motion}: call its enable service."
        return ""

    def _until_moving(self) -> None:
        """Wait until the robot can be measured; say what for."""
        while why := self._why_not():
            if why != self._said:
                self._said = why
                self._say(why)
            if self._stopped():
                raise Stopped
            self._link.turn()
        if self._said:
            self._said = ""
            self._say("")
        self._link.log.clear()

    def _put_back(self) -> None:
        """After a fault: the gait that the robot is known to follow, for when it is enabled again."""
        try:
            self._link.set(self._ring.values)
        except TimeoutError:
            return  # the ring is gone: what follows says so
