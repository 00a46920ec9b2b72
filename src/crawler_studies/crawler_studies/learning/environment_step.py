"""A step of an environment, and the reward for it."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.types import Observation

EFFORT_WEIGHT_M_S = 0.01


@dataclass(frozen=True)
class EnvironmentStep:
    """One step of an environment, which is some ticks."""

    before: Observation
    after: Observation
    duration: float  # s
    forward: float  # m, of the base along its heading
    lateral: float  # m, to the left of it
    turn: float  # rad, to the left
    effort: float  # s, integral of the mean square of the motors' efforts as shares of their limits; 0 where unknown
    work: float  # J, of all motors while they drive; 0 where their efforts are unknown


def forward_minus_effort(step: EnvironmentStep) -> float:
    """Return the reward in m: the distance forward, less 10 mm for each second at full effort."""
    return step.forward - EFFORT_WEIGHT_M_S * step.effort
