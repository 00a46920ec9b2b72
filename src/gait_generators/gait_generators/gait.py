"""What a gait is: a periodic motion of the actuated joints, as a pure function of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from crawler_core.types import FloatArray


class Sample(NamedTuple):
    """A motion at the given times; arrays have the shape of the times plus one axis of actuated joints."""

    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    acceleration: FloatArray  # rad/s²


class Motion(Protocol):
    """Anything that says where the actuated joints are at time t, in the order of `RobotSpec.actuated`."""

    def sample(self, t: Any) -> Sample:
        """The motion at t (s, a number or an array), with exact derivatives."""
        ...


@dataclass(frozen=True)
class Remedies:
    """What the user should do to the gait's parameters where it exceeds a limit; ends of sentences."""

    above: str  # a joint goes beyond its upper limit
    below: str  # a joint goes beyond its lower limit
    fast: str  # a joint exceeds its velocity or acceleration
    ground: str = "choose another gait"  # the robot cannot do it on the ground: a foot lifts, a motor is too weak, ...


class Gait(Motion, Protocol):
    """A motion that repeats, but for whole turns of continuous joints. Its phase is 0 at t = 0."""

    @property
    def period(self) -> float:
        """s"""
        ...

    @property
    def remedies(self) -> Remedies: ...
