"""What a control law is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from crawler_core.types import Contact
from hybrid_controller.reference import Point


class Measured(NamedTuple):
    """What is measured at the start of the tick. Joints are the actuated ones."""

    time_ns: int
    position: list[float]  # rad
    velocity: list[float]  # rad/s
    contacts: Sequence[Contact]  # of the same instant in lockstep, else the newest; empty for a law without contacts


class Setpoint(NamedTuple):
    """What the joints shall have reached at the end of the tick."""

    position: list[float]  # rad
    velocity: list[float]  # rad/s
    saturated: list[bool]  # the law asked for more than the joint's limits allow


class Law(Protocol):
    """Decides the setpoints of one tick."""

    @property
    def needs_contacts(self) -> bool:
        """Whether the law reads `Measured.contacts`."""
        ...

    def compute(self, measured: Measured, now: Point, ahead: Point) -> Setpoint:
        """The setpoint for the end of the tick, from the reference at its start and at its end."""
        ...
