"""Leaving and regaining the reference: setpoints that move by themselves, never with a jump."""

from __future__ import annotations

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import JointLimits, approach, brake
from hybrid_controller.reference.horizon import ReferencePoint

# an approach ends here; far below what a joint resolves
CLOSE = 1e-5  # rad
SLOW = 1e-3  # rad/s


class SetpointRamp:
    """Joint setpoints that start in `position` with `velocity`, and then brake or approach, a tick at a time.

    What it says of joints that are driven by effort is not for use: they need no leading.
    """

    def __init__(self, spec: RobotSpec, dt: float, position: list[float], velocity: list[float]) -> None:
        self._limits = JointLimits.of(spec)
        self._led = np.array([not joint.is_effort_driven for joint in spec.actuated])
        self._closing = spec.safety.approach_velocity
        self._dt = dt
        self._position = np.array(position)
        self._velocity = np.array(velocity)

    @property
    def at_rest(self) -> bool:
        return not self._velocity[self._led].any()

    @property
    def setpoint(self) -> tuple[list[float], list[float]]:
        """Position and velocity."""
        return self._position.tolist(), self._velocity.tolist()

    def brake(self) -> None:
        """One tick towards rest, then none."""
        self._position, self._velocity = brake(self._position, self._velocity, self._limits, self._dt)

    def converged(self, now: ReferencePoint) -> bool:
        """Whether the setpoints have come up with the reference of the present instant."""
        return bool(
            (np.abs(self._position - now.position) <= CLOSE)[self._led].all()
            and (np.abs(self._velocity - now.velocity) <= SLOW)[self._led].all()
        )

    def approach(self, now: ReferencePoint, ahead: ReferencePoint) -> None:
        """One tick towards a reference that itself moves from `now` to `ahead`.

        They come closer at no more than the safety section's approach_velocity.
        """
        self._position, self._velocity = approach(
            self._position,
            self._velocity,
            (np.asarray(now.position), np.asarray(now.velocity)),
            (np.asarray(ahead.position), np.asarray(ahead.velocity)),
            self._limits,
            self._closing,
            self._dt,
        )
