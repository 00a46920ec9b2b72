"""Follow setpoints as a servo is believed to, to tell a servo that lags from a joint that is blocked."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hybrid_controller.laws.law import Measured, Setpoint

MAX_GAP_TICKS = 1.5  # between two setpoints; after a longer one the servos begin again at the measured joints


class BelievedServo:
    """Critically damped servos, one for each joint. A delay counts as more lag of the same servo."""

    def __init__(self, lag: float, dt: float) -> None:
        """`lag` is how much later than its setpoint a joint is (s), `dt` the tick (s)."""
        self._lag, self._dt = lag, dt
        self.restart()

    def restart(self) -> None:
        """Begin at the measured joints of the next tick."""
        self._time_ns: int | None = None
        self._position: list[float] = []
        self._velocity: list[float] = []
        self._reached: list[float] = []  # setpoints of the last tick

    def lead(self, measured: Measured, setpoint: Setpoint) -> list[float]:
        """Return by how much (rad) the setpoints at the start of this tick lead joints that follow as believed."""
        if self._lag <= 0.0:
            return [0.0] * len(setpoint.position)
        is_next = self._time_ns is not None and (0 < measured.time_ns - self._time_ns <= MAX_GAP_TICKS * self._dt * 1e9)
        if is_next:
            self._follow(setpoint.position)
        else:
            self._position, self._velocity = list(measured.position), list(measured.velocity)
        self._time_ns, self._reached = measured.time_ns, list(setpoint.position)
        return [goal - angle for goal, angle in zip(setpoint.position, self._position, strict=True)]

    def _follow(self, goals: Sequence[float]) -> None:
        """Advance by a tick, in which the setpoints have moved evenly to `goals`; the solution is exact."""
        w, h = 2.0 / self._lag, self._dt
        decay = math.exp(-w * h)
        for i, (before, goal) in enumerate(zip(self._reached, goals, strict=True)):
            pace = (goal - before) / h
            error = self._position[i] - (before - self._lag * pace)
            rate_error = self._velocity[i] - pace
            slope = rate_error + w * error
            self._position[i] = goal - self._lag * pace + decay * (error + slope * h)
            self._velocity[i] = pace + decay * (rate_error - w * slope * h)
