"""Joints whose encoders have a few counts a turn: their angles between the counts, with the loops closed."""

from __future__ import annotations

import numpy as np

from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Observation

MAX_GAP_S = 0.1  # between two states; after a longer one the angles begin again


class CoarseJoints:
    """Moves each actuated angle on by its rate, and draws it to the measured one: the error of a count cancels in time.

    The passive joints of loops follow from these angles.
    """

    def __init__(self, spec: RobotSpec, time_constant: float) -> None:
        self._time_constant = time_constant
        self._actuated = np.array(spec.actuated_indices)
        self._loops = make_loop_closure_solver(spec)
        self.restart()

    def restart(self) -> None:
        self._time_ns: int | None = None
        self._angle = np.zeros(len(self._actuated))

    def update(self, measured: Observation) -> None:
        """Take a state."""
        now, rate = measured.position[self._actuated], measured.velocity[self._actuated]
        h = (measured.time_ns - self._time_ns) * 1e-9 if self._time_ns is not None else -1.0
        if 0.0 < h <= MAX_GAP_S:
            moved = self._angle + h * rate
            self._angle = moved + h / (h + self._time_constant) * (now - moved)
        else:
            self._angle = now
        self._time_ns = measured.time_ns

    def complete(self, measured: Observation) -> tuple[list[float], list[float]]:
        """Return angles (rad) and rates (rad/s) of all joints. Raises UserError where a loop cannot close."""
        position, velocity = measured.position.copy(), measured.velocity
        position[self._actuated] = self._angle
        if self._loops is not None:
            position, velocity = self._loops.complete(position, velocity)
        return position.tolist(), velocity.tolist()
