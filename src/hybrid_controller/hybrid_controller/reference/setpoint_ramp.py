"""Setpoints that move on their own, without a jump, while the reference is absent or not yet reached."""

from __future__ import annotations

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.approach import approach, brake
from crawler_core.safety.joint_limits import JointLimits
from hybrid_controller.reference.horizon import ReferencePoint

# an approach ends within these, far below a joint's resolution
POSITION_TOLERANCE_RAD = 1e-5
VELOCITY_TOLERANCE_RAD_S = 1e-3


class SetpointRamp:
    """Joint setpoints that start at `position` with `velocity` and then brake, or approach a reference, tick by tick.

    Its values for effort-driven joints are not to be used.
    """

    def __init__(self, spec: RobotSpec, dt: float, position: list[float], velocity: list[float]) -> None:
        self._limits = JointLimits.of(spec)
        self._ramped = np.array([not joint.is_effort_driven for joint in spec.actuated])
        self._closing_speed = spec.safety.approach_velocity
        self._dt = dt
        self._position = np.array(position)
        self._velocity = np.array(velocity)

    @property
    def at_rest(self) -> bool:
        return not self._velocity[self._ramped].any()

    @property
    def setpoint(self) -> tuple[list[float], list[float]]:
        """Return position (rad) and velocity (rad/s)."""
        return self._position.tolist(), self._velocity.tolist()

    def brake(self) -> None:
        self._position, self._velocity = brake(self._position, self._velocity, self._limits, self._dt)

    def has_converged(self, now: ReferencePoint) -> bool:
        """Return True if the setpoints have reached the reference of the present instant."""
        return bool(
            (np.abs(self._position - now.position) <= POSITION_TOLERANCE_RAD)[self._ramped].all()
            and (np.abs(self._velocity - now.velocity) <= VELOCITY_TOLERANCE_RAD_S)[self._ramped].all()
        )

    def approach(self, now: ReferencePoint, ahead: ReferencePoint) -> None:
        """Take one tick towards a reference that itself moves from `now` to `ahead`.

        The distance shrinks at no more than the safety section's approach_velocity.
        """
        self._position, self._velocity = approach(
            self._position,
            self._velocity,
            (np.asarray(now.position), np.asarray(now.velocity)),
            (np.asarray(ahead.position), np.asarray(ahead.velocity)),
            self._limits,
            self._closing_speed,
            self._dt,
        )
