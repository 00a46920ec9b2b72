"""Errors of a robot's estimate of itself against the truth of a simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.gait_metrics.heading import Heading
from crawler_core.types import BaseState, Contact, ContactMode, Observation, PoseReading
from crawler_models.estimation.estimator_registry import TRUTH
from crawler_models.estimation.robot_estimator import RobotEstimator
from crawler_studies.simulation.robot import start_loop
from crawler_studies.study.study_case import StudyCase

SLIP_SPEED_M_S = 2e-3  # of a foot, below which it counts as sticking


@dataclass(frozen=True)
class EstimatorErrors:
    """The errors of one estimator at the end of a run."""

    estimator: str
    uses_external_pose: bool
    way: float  # m, from the beginning to the end
    place_error: float  # m, of the end, horizontally
    place_sigma: float  # m, the estimator's own standard deviation of the end along x
    heading_error: float  # rad
    speed_error: float  # m/s forward, root of the mean square
    ground_share: float  # of the states and feet: on the ground or in the air as in the simulation; NaN where unknown
    mode_share: float  # the same of sticking, slipping forward and backward, in the air
    microseconds: float  # of processor time, by an update with its estimate
    ended: str = ""  # the fault that ended the run early

    @property
    def relative_error(self) -> float:
        """The error of the place as a share of the way; NaN for a robot that stays where it is."""
        return self.place_error / self.way if self.way else math.nan

    def numbers(self) -> dict[str, Any]:
        """Return the keys of --json."""
        return {
            "estimator": self.estimator,
            "external_pose": self.uses_external_pose,
            "way_m": self.way,
            "place_error_m": self.place_error,
            "place_error_share": self.relative_error,
            "place_sigma_m": self.place_sigma,
            "heading_error_rad": self.heading_error,
            "speed_error_m_s": self.speed_error,
            "ground_share": self.ground_share,
            "mode_share": self.mode_share,
            "update_us": self.microseconds,
            "ended": self.ended,
        }


class _Follower:
    """One estimator that follows a run, with or without external poses."""

    def __init__(self, estimator: RobotEstimator, has_pose: bool, clock: Callable[[], float]) -> None:
        self._estimator, self._has_pose, self._clock = estimator, has_pose, clock
        self._time = 0.0  # s of processor time
        self._count = 0
        self._speed_errors: list[float] = []
        self._ground: list[bool] = []
        self._modes: list[bool] = []
        self._first: tuple[BaseState, BaseState] | None = None
        self._last: tuple[BaseState, BaseState] | None = None
        self._sigma = math.nan

    def follow(self, state: Observation) -> None:
        seen = state if self._has_pose else replace(state, readings=_without_poses(state))
        begin = self._clock()
        self._estimator.update(seen)
        estimate = self._estimator.estimate()
        self._time += self._clock() - begin
        self._count += 1
        if estimate is None or state.base is None:
            return
        self._last = state.base, estimate.base
        self._first = self._first or self._last
        self._sigma = math.sqrt(estimate.pose_variance[0])
        heading = Heading.of(state.base.quaternion)
        forward = [heading.forward(*base.linear[:2]) for base in self._last]
        self._speed_errors.append(forward[1] - forward[0])
        for true, believed in zip(state.contacts, estimate.contacts, strict=False):
            one, other = _mode(true), _mode(believed)
            self._ground.append((one is ContactMode.OPEN) == (other is ContactMode.OPEN))
            self._modes.append(one is other)

    def errors(self, ended: str) -> EstimatorErrors:
        """Return the errors. Raise BackendFault where there was no estimate."""
        if self._first is None or self._last is None:
            raise BackendFault(f"the estimator {self._estimator.name} has no estimate ({self._estimator.note})")
        true, believed = (
            np.subtract(end.position, begin.position)[:2] for begin, end in zip(self._first, self._last, strict=True)
        )
        turns = [
            Heading.of(end.quaternion).yaw - Heading.of(begin.quaternion).yaw
            for begin, end in zip(self._first, self._last, strict=True)
        ]
        return EstimatorErrors(
            self._estimator.name,
            self._estimator.uses_external_pose,
            float(np.hypot(*true)),
            float(np.hypot(*(believed - true))),
            self._sigma,
            abs(math.remainder(turns[1] - turns[0], math.tau)),
            float(np.sqrt(np.mean(np.square(self._speed_errors)))),
            _mean(self._ground),
            _mean(self._modes),
            1e6 * self._time / self._count,
            ended,
        )


def measure_estimator(
    case: StudyCase,
    kind: str,
    values: Mapping[str, Any],
    seconds: float,
    clock: Callable[[], float],
    progress: Callable[[float], None] = lambda _: None,
    *,
    estimator: str = "",
    rate: float = 0.0,
) -> list[EstimatorErrors]:
    """Return the errors of the robot's estimator on the backend `kind` after so many `seconds`.

    A robot with an external pose has two results: with it, and without. `values` are of the section backend, `clock`
    is that of processor time (s). Raises UserError for a case that cannot run, and BackendFault where it cannot start.
    """
    has_pose = any(sensor.kind == "external_pose" for sensor in case.spec.sensors)
    followers = [
        _Follower(RobotEstimator(case.spec, estimator), with_pose, clock)
        for with_pose in ((True, False) if has_pose else (False,))
    ]
    ended = ""
    try:
        with start_loop(case, kind, {**values, "estimator": TRUTH}, rate) as loop:
            for state in loop.run(math.ceil(seconds * 1e9 / loop.dt_ns)):
                for follower in followers:
                    follower.follow(state)
                progress(state.time_ns * 1e-9)
    except BackendFault as fault:
        ended = str(fault)
    return [follower.errors(ended) for follower in followers]


def _without_poses(state: Observation) -> tuple[Any, ...]:
    return tuple(reading for reading in state.readings if not isinstance(reading, PoseReading))


def _mode(contact: Contact) -> ContactMode:
    """Return the mode of a foot, where a slip too slow to matter is none."""
    if contact.mode in (ContactMode.OPEN, ContactMode.UNKNOWN):
        return contact.mode
    x, y, _ = contact.slip_velocity
    if math.isfinite(x + y) and math.hypot(x, y) < SLIP_SPEED_M_S:
        return ContactMode.STICK
    return contact.mode


def _mean(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else math.nan
