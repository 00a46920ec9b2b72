"""Motions of the actuated joints as functions of time, whoever makes them and whoever needs them."""

from __future__ import annotations

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


class PeriodicMotion(Motion, Protocol):
    """A motion that repeats, but for whole turns of continuous joints. Its phase is 0 at t = 0."""

    @property
    def period(self) -> float:
        """s"""
        ...
