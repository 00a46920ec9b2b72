"""Faults in what a backend reports: states that stop, angles that are unknown or wrong, joints that do not follow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_plausibility import JointPlausibility
from crawler_core.types import Observation


class StateMonitor:
    """Compares each observation with the one before and with the setpoints."""

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        actuated = list(zip(spec.actuated_indices, spec.actuated, strict=True))
        self._safety = spec.safety
        self._dt = dt
        self._actuated = [(i, joint.name) for i, joint in actuated]
        self._position_joints = [(i, joint.name) for i, joint in actuated if not joint.is_effort_driven]
        self._effort_joints = [(i, joint.name) for i, joint in actuated if joint.is_effort_driven]
        self._last_time_ns = -1
        self.plausibility = JointPlausibility(spec, dt)
        self.reset()

    def reset(self) -> None:
        """Forget how long states have been the same and errors have lasted."""
        self._stale_time = 0.0  # s for which the stamp has been the same
        self._tracking_error_time = [0.0] * len(self._position_joints)  # s that each joint has been off its setpoint
        self.plausibility.reset()

    def check(
        self,
        observation: Observation,
        setpoints: Sequence[float],
        efforts: Sequence[float],
        is_commanded: bool,
        elapsed: float,
    ) -> None:
        """Raise BackendFault where motion cannot go on.

        `setpoints` are those of the position-driven joints, `efforts` the last ones of the effort-driven joints. With a
        command the velocity of the latter must be known, since their limits need it.
        """
        self._check_time(observation.time_ns, elapsed)
        angles = observation.position.tolist()
        _check_known("angle", angles, self._actuated)
        if is_commanded and self._effort_joints:
            _check_known("velocity", observation.velocity.tolist(), self._effort_joints)
        self.plausibility.check(observation, setpoints, efforts, elapsed)
        tolerance = self._safety.tracking_tolerance
        errors = [abs(angles[i] - q) for (i, _), q in zip(self._position_joints, setpoints, strict=True)]
        times = zip(errors, self._tracking_error_time, strict=True)
        self._tracking_error_time = [0.0 if error <= tolerance else time + elapsed for error, time in times]
        if not self._tracking_error_time or max(self._tracking_error_time) <= self._safety.tracking_time:
            return
        k = self._tracking_error_time.index(max(self._tracking_error_time))
        name = self._position_joints[k][1]
        raise BackendFault(
            f"{name} does not follow: it is {math.degrees(errors[k]):.0f} degrees away from its setpoint",
            remedy=f"check that {name} is free to move, powered and not overloaded",
            joint=name,
        )

    def _check_time(self, time_ns: int, elapsed: float) -> None:
        self._stale_time = self._stale_time + elapsed if time_ns == self._last_time_ns else 0.0
        self._last_time_ns = time_ns
        if self._stale_time - 0.5 * self._dt > self._safety.command_timeout:
            raise BackendFault(
                "the device reports nothing new: its states have stopped",
                remedy="check the device, its cable and its power",
            )


def _check_known(quantity: str, values: Sequence[float], joints: Sequence[tuple[int, str]]) -> None:
    for i, name in joints:
        if not math.isfinite(values[i]):
            raise BackendFault(
                f"the {quantity} of {name} is not a number", remedy=f"check the sensor of {name}", joint=name
            )
