"""A gait shifted in time, and by whole turns, to its place in a longer motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Motion, Sample
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import Gait


@dataclass(frozen=True)
class PhaseShiftedGait:
    """`gait` with its phase 0 at `start`, and its continuous joints shifted by whole turns."""

    gait: Gait
    start: float  # s
    turns: FloatArray  # rad, multiples of 2 pi

    @staticmethod
    def after(spec: RobotSpec, old: Motion, gait: Gait, start: float) -> PhaseShiftedGait:
        """Return `gait` from `start` on, with its continuous joints on the turn nearest to `old` at that time."""
        offset = old.sample(start).position - gait.sample(0.0).position
        continuous = np.array([joint.continuous for joint in spec.actuated])
        return PhaseShiftedGait(gait, start, np.where(continuous, 2.0 * np.pi * np.round(offset / (2.0 * np.pi)), 0.0))

    def sample(self, t: Any) -> Sample:
        position, velocity, acceleration = self.gait.sample(np.asarray(t, dtype=float) - self.start)
        return Sample(position + self.turns, velocity, acceleration)
