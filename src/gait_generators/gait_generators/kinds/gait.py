"""What a gait is: a periodic motion of the actuated joints, as a pure function of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from crawler_core.motion import PeriodicMotion
from crawler_core.types import FloatArray


@dataclass(frozen=True)
class LimitHints:
    """What the user should do to the gait's parameters where it exceeds a limit; ends of sentences."""

    above: str  # a joint goes beyond its upper limit
    below: str  # a joint goes beyond its lower limit
    fast: str  # a joint exceeds its velocity or acceleration
    ground: str = "choose another gait"  # the robot cannot do it on the ground: a foot lifts, a motor is too weak, ...


class Gait(PeriodicMotion, Protocol):
    """A motion that repeats, and that knows what to change where it exceeds a limit."""

    @property
    def limit_hints(self) -> LimitHints: ...


class SteeredGait(Gait, Protocol):
    """A gait whose joints turn evenly, and that knows at which rates the robot goes where it shall."""

    @property
    def start(self) -> FloatArray:
        """rad, at t = 0: by how much each joint is ahead of the others."""

    def rates(self, forward: float, yaw: float) -> FloatArray:
        """rad/s of each joint for a robot that goes forward (m/s) and turns to the left (rad/s)."""
