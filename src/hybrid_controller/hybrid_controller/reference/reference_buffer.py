"""The newest horizon, and how it continues the one that was followed before."""

from __future__ import annotations

import math

from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.reference.horizon import Horizon, ReferencePoint


class ReferenceBuffer:
    """Holds the newest horizon, and gives the reference of a tick's start and end."""

    def __init__(self, spec: RobotSpec, dt_ns: int) -> None:
        self._dt_ns = dt_ns
        self._max_steps = [
            math.inf if joint.is_effort_driven else joint.velocity * dt_ns * 1e-9 for joint in spec.actuated
        ]
        self._newest: Horizon | None = None
        self._followed: Horizon | None = None  # source of the last points
        self._last_ahead: tuple[int, ReferencePoint | None] = (0, None)  # ns; mostly the start of the next tick

    @property
    def is_empty(self) -> bool:
        return self._newest is None

    def add(self, horizon: Horizon) -> None:
        self._newest = horizon

    def clear(self) -> None:
        self._newest = self._followed = None

    def restart(self) -> None:
        """Keep the newest horizon and nothing else: it will count as the first."""
        self._followed = None

    def covers_tick(self, time_ns: int) -> bool:
        """Return True if the tick that begins at `time_ns` has a reference at its start and its end."""
        horizon = self._newest
        return horizon is not None and horizon.begin_ns <= time_ns and time_ns + self._dt_ns < horizon.end_ns

    def remaining(self, time_ns: int) -> float:
        """Return the length of the reference after `time_ns`, s."""
        return 0.0 if self._newest is None else max(0.0, (self._newest.end_ns - time_ns) * 1e-9)

    def tick_points(self, time_ns: int) -> tuple[ReferencePoint, ReferencePoint, bool]:
        """Return the reference at the start and end of a tick that is covered, and whether it jumps at the start.

        It jumps where a new horizon does not continue the followed one: by more than a joint can move in a tick, or
        after that one had ended.
        """
        horizon, followed = self._newest, self._followed
        assert horizon is not None
        is_new = horizon is not followed
        last_ns, last_ahead = self._last_ahead
        now = last_ahead if last_ahead and last_ns == time_ns and not is_new else horizon.at(time_ns)
        ahead = horizon.at(time_ns + self._dt_ns)
        self._followed, self._last_ahead = horizon, (time_ns + self._dt_ns, ahead)
        if not is_new:
            return now, ahead, False
        jumps = followed is None or not followed.covers(time_ns) or self._is_jump(followed.at(time_ns), now)
        return now, ahead, jumps

    def _is_jump(self, before: ReferencePoint, after: ReferencePoint) -> bool:
        steps = zip(before.position, after.position, self._max_steps, strict=True)
        return any(abs(b - a) > max_step for a, b, max_step in steps)
