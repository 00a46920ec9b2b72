"""Interface of a gait: a periodic motion of the actuated joints, as a pure function of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from crawler_core.motion import PeriodicMotion, Sample
from crawler_core.types import FloatArray


@dataclass(frozen=True)
class LimitHints:
    """Changes of the gait's parameters that keep a limit; each is the end of a sentence."""

    above: str  # a joint exceeds its upper limit
    below: str  # a joint exceeds its lower limit
    fast: str  # a joint exceeds its velocity or acceleration limit
    ground: str = "choose another gait"  # the ground does not allow it: a foot lifts, a motor is too weak, ...


class Gait(PeriodicMotion, Protocol):
    """A periodic motion with hints for the limits that it exceeds."""

    @property
    def limit_hints(self) -> LimitHints: ...


class SteeredGait(Gait, Protocol):
    """A gait whose joints follow phases that turn at constant rates. Steering changes these rates, smoothly."""

    @property
    def start(self) -> FloatArray:
        """Return the phases (rad) at t = 0, and so their differences."""

    @property
    def rate(self) -> FloatArray:
        """Return the rates of the phases (rad/s)."""

    def joints(self, phase: Sample) -> Sample:
        """Return the joints for phases, a last axis of position, velocity and acceleration."""
