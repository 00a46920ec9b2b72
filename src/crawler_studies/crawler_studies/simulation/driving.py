"""A robot driven through a course of velocities in one process, and the speeds that it reaches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.gait_metrics.heading import Heading
from crawler_core.safety.joint_limits import JointLimits
from crawler_core.types import Observation
from crawler_models.estimation.estimator_registry import estimator_name
from crawler_studies.simulation.robot import Robot
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.gait_registry import gait_parameters
from gait_generators.steering.trimmed_steering import MAX_SPEED_TRIM, TrimmedSteering
from gait_generators.steering.velocity_steering import VelocitySteering

COURSE = (0.0, 0.3, 1.0, 0.3, 0.0, -0.3, -1.0, -0.3, 0.0)  # shares of the fastest speed, forward and backward
SETTLING_STRIDES, MEASURED_STRIDES = 5, 4
STANDING_S = 3.0  # of a standstill, the last of which is measured
STANDSTILL_WINDOW_S = 0.5


@dataclass(frozen=True)
class DrivenSpeed:
    """A wanted velocity, and the one that was measured over the last strides, by the truth."""

    wanted: float  # m/s
    wanted_yaw: float  # rad/s
    executed: float  # m/s, that the gait was set to
    measured: float  # m/s, along the heading
    measured_yaw: float  # rad/s
    notes: tuple[str, ...]
    clamped: int  # commands that the supervisor had to limit meanwhile
    peak_share: float  # largest speed of a joint, as a share of its limit

    @property
    def error(self) -> float:
        """Return the deviation of the measured speed from the executed one, as a share; NaN for a standstill."""
        return self.measured / self.executed - 1.0 if self.executed else math.nan


def steering_of(case: StudyCase, values: dict[str, Any] | None = None) -> VelocitySteering:
    """Return the steering of a case's gait. Raises UserError for a gait that cannot be steered."""
    defaults = {info.name: info.default for info in gait_parameters(case.spec, case.gait_name)}
    return VelocitySteering(case.spec, case.gait_name, {**defaults, **case.settings.get("gait", {}), **(values or {})})


def drive_course(
    case: StudyCase,
    backend: str,
    plain: VelocitySteering,
    velocities: Sequence[tuple[float, float]],
    *,
    trim: float = MAX_SPEED_TRIM,
    strides: int = MEASURED_STRIDES,
    rate: float | None = None,
) -> Iterator[DrivenSpeed]:
    """Drive through velocities (m/s, rad/s), and yield what each came to.

    Each takes five strides, and is measured over the next `strides`. `trim` bounds the loop over the speed, which
    follows the robot's own odometry; 0: none. Raises UserError, and BackendFault for a fault.
    """
    steering, limits = TrimmedSteering(plain, trim), JointLimits.of(case.spec)
    settings = {**case.settings}
    if trim:
        settings["backend"] = {"estimator": estimator_name(case.spec), **settings.get("backend", {})}
    with Robot(case.robot, backend, settings=settings, rate=rate) as robot:
        loop = robot.control_loop(case.gait, case.law)
        for forward, yaw in velocities:
            clamped = loop.supervisor_report.clamped
            command = loop.steer(steering, forward, yaw)
            moves = bool(command.rate.any())
            settle = SETTLING_STRIDES * command.gait.period if moves else STANDING_S - STANDSTILL_WINDOW_S
            window = strides * command.gait.period if moves else STANDSTILL_WINDOW_S
            peak = 0.0
            for _ in range(round(settle / robot.dt)):
                state = loop.tick()
                peak = max(peak, float((np.abs(state.velocity[case.spec.actuated_indices]) / limits.velocity).max()))
            measured, measured_yaw = _mean_velocity([state, *(loop.tick() for _ in range(round(window / robot.dt)))])
            yield DrivenSpeed(
                forward,
                yaw,
                command.executed.forward,
                measured,
                measured_yaw,
                tuple(command.notes.values()),
                loop.supervisor_report.clamped - clamped,
                peak,
            )


def course_of(steering: VelocitySteering) -> list[tuple[float, float]]:
    """Return the standard course: standstill, ±30 % and ±100 % of the range, and back."""
    limits = steering.range
    return [(share * (limits.forward if share > 0.0 else limits.backward), 0.0) for share in COURSE]


def _mean_velocity(states: Sequence[Observation]) -> tuple[float, float]:
    """Return the mean speed along the heading (m/s) and the mean yaw rate (rad/s) of the truth."""
    way, yaw = 0.0, 0.0
    for before, after in itertools.pairwise(states):
        assert before.base is not None
        assert after.base is not None
        heading, turned = Heading.of(before.base.quaternion), Heading.of(after.base.quaternion)
        moved = np.subtract(after.base.position, before.base.position)
        way += heading.forward(float(moved[0]), float(moved[1]))
        yaw += math.remainder(turned.yaw - heading.yaw, math.tau)
    duration = (states[-1].time_ns - states[0].time_ns) * 1e-9
    return way / duration, yaw / duration
