"""The time of a gait as a phase, for gaits that have no phases of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Sample
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import Gait, LimitHints, SteeredGait


@dataclass(frozen=True)
class GaitPhase:
    """A gait whose joints all follow one phase, a turn of which is a period."""

    gait: Gait

    @property
    def limit_hints(self) -> LimitHints:
        return self.gait.limit_hints

    @property
    def period(self) -> float:
        return self.gait.period

    @property
    def start(self) -> FloatArray:
        return np.zeros(1)

    @property
    def rate(self) -> FloatArray:
        return np.array([math.tau / self.gait.period])

    def sample(self, t: Any) -> Sample:
        return self.gait.sample(t)

    def joints(self, phase: Sample) -> Sample:
        rate = math.tau / self.gait.period
        position, velocity, acceleration = self.gait.sample(phase.position[..., 0] / rate)
        pace, change = phase.velocity / rate, phase.acceleration / rate
        return Sample(position, velocity * pace, acceleration * pace**2 + velocity * change)


def steered(gait: Gait) -> SteeredGait:
    """Return the gait with phases: its own, or its time."""
    return gait if hasattr(gait, "joints") else GaitPhase(gait)  # type: ignore[return-value]
