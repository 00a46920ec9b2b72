"""Base class of the control laws, and the values that a law exchanges with the controller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from crawler_core.types import Contact, SensorReading
from crawler_models.estimation.base_motion import BaseMotion
from hybrid_controller.estimation.foot_events import FootEvent
from hybrid_controller.reference.horizon import ReferencePoint


class Measured(NamedTuple):
    """Measurements at the start of a tick. Joints are the actuated ones."""

    time_ns: int
    position: list[float]  # rad
    velocity: list[float]  # rad/s
    contacts: Sequence[Contact]  # of the same instant in lockstep, else the newest; empty where there are none
    odometry: Sequence[BaseMotion] = ()  # received since the last tick; for a law that reads it
    events: Sequence[FootEvent] = ()  # shown by these contacts: a law may restart its reference in this very tick
    readings: Sequence[SensorReading] = ()  # of the kinds that the law reads, received since the last tick


class Setpoint(NamedTuple):
    """Joint setpoints for the end of a tick, and efforts over it for joints that are driven by effort."""

    position: list[float]  # rad
    velocity: list[float]  # rad/s
    saturated: list[bool]  # the law exceeded a limit of the joint and was limited
    # N·m over the tick; NaN where none is commanded, as for joints driven by position; empty where all of them are
    effort: Sequence[float] = ()


class LawReport(NamedTuple):
    """Result of a law's last tick, for diagnostics and controller_state."""

    branch: str  # the part of the law in force
    note: str = ""  # reason why the law is degraded; empty where it is not
    slip_reference: Sequence[float] = ()  # m/s along the robot's x axis, per foot, where the branch has one
    slip_velocity: Sequence[float] = ()  # m/s, in the same axes


class Law(ABC):
    """Computes the setpoints of one tick. A subclass overrides `compute`, and the rest as far as it needs to."""

    reads_contacts: bool = False  # `Measured.contacts` are wanted; a tick may still come without
    reads_odometry: bool = False  # `Measured.odometry` is wanted, in the same way
    reads_sensors: Sequence[str] = ()  # kinds of sensors, as in robot.yaml, whose readings are wanted
    estimated: Sequence[Contact] = ()  # the contacts that the law estimates itself
    report: LawReport  # of the last tick that the law computed

    def tune(self, parameters: Any) -> None:  # noqa: B027
        """Continue with other parameters of the same dataclass; constant ones keep their value."""

    def restart(self) -> None:  # noqa: B027
        """Reset the state: time went back."""

    def observe(self, measured: Measured) -> None:  # noqa: B027
        """Take a state, whether or not the law computes its tick."""

    @abstractmethod
    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        """Return the setpoint for the end of the tick.

        `commanded` is the setpoint of its start; `now` and `ahead` are the reference at its start and end. `measured`
        has been observed before. On a robot with effort-driven joints this is called whenever there is a reference;
        while the other joints approach it, only the law's effort is used.
        """
