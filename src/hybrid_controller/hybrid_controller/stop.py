"""Leaving and regaining the reference: setpoints that move by themselves, never with a jump."""

from __future__ import annotations

import numpy as np

from crawler_core.limits import GENTLE, JointLimits, brake
from crawler_core.robot import RobotSpec
from crawler_core.types import FloatArray
from hybrid_controller.reference import Point

# an approach ends here; far below what a joint resolves
CLOSE = 1e-5  # rad
SLOW = 1e-3  # rad/s


class Glide:
    """Joint setpoints that start in `position` with `velocity`, and then brake or approach, a tick at a time."""

    def __init__(self, spec: RobotSpec, dt: float, position: list[float], velocity: list[float]) -> None:
        self._limits = JointLimits.of(spec)
        self._closing = spec.safety.approach_velocity
        self._dt = dt
        self._position = np.array(position)
        self._velocity = np.array(velocity)

    @property
    def at_rest(self) -> bool:
        return not self._velocity.any()

    @property
    def setpoint(self) -> tuple[list[float], list[float]]:
        """Position and velocity."""
        return self._position.tolist(), self._velocity.tolist()

    def brake(self) -> None:
        """One tick towards rest, then none."""
        self._position, self._velocity = brake(self._position, self._velocity, self._limits, self._dt)

    def caught(self, now: Point) -> bool:
        """Whether the setpoints have come up with the reference of the present instant."""
        return bool(
            (np.abs(self._position - now.position) <= CLOSE).all()
            and (np.abs(self._velocity - now.velocity) <= SLOW).all()
        )

    def approach(self, now: Point, ahead: Point) -> None:
        """One tick towards a reference that itself moves from `now` to `ahead`.

        Seen from the reference, the joints come closer at no more than the safety section's approach_velocity, and
        slow down in time: their acceleration is that of the reference and `GENTLE` of their limit on top. Where that
        would carry them beyond a limit of their position they brake before it.
        """
        dt, limits = self._dt, self._limits
        strongest = GENTLE * limits.acceleration
        gap = self._position - now.position
        closing = self._velocity - now.velocity
        distance = np.abs(gap)
        # the root leads to rest at half the acceleration; the last term ends it without overshoot in discrete time
        speed = np.minimum(np.minimum(self._closing, np.sqrt(strongest * distance)), 0.5 * distance / dt)
        change = np.clip(-np.sign(gap) * speed - closing, -strongest * dt, strongest * dt)
        fastest_up = np.minimum(limits.velocity, self._stoppable(limits.upper - self._position, self._velocity))
        fastest_down = np.minimum(limits.velocity, self._stoppable(self._position - limits.lower, -self._velocity))
        velocity = np.clip(ahead.velocity + closing + change, -fastest_down, fastest_up)
        gap = gap + 0.5 * (closing + velocity - ahead.velocity) * dt
        self._position = np.clip(ahead.position + gap, limits.lower, limits.upper)
        self._velocity = velocity

    def _stoppable(self, room: FloatArray, speed: FloatArray) -> FloatArray:
        """The highest speed v at the end of this tick with v² <= 2 a (the room left by then)."""
        a, dt = self._limits.acceleration, self._dt
        return np.sqrt((0.5 * a * dt) ** 2 + 2.0 * a * np.maximum(room - 0.5 * speed * dt, 0.0)) - 0.5 * a * dt
