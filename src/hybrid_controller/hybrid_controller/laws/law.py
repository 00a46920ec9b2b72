"""What a control law is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from crawler_core.types import Contact
from hybrid_controller.estimation.foot_events import FootEvent
from hybrid_controller.reference.horizon import Point


class BaseMotion(NamedTuple):
    """What odometry says of the base at one time."""

    time_ns: int
    forward: float  # m/s, along the robot's heading


class Measured(NamedTuple):
    """What is measured at the start of the tick. Joints are the actuated ones."""

    time_ns: int
    position: list[float]  # rad
    velocity: list[float]  # rad/s
    contacts: Sequence[Contact]  # of the same instant in lockstep, else the newest; empty where there are none
    odometry: Sequence[BaseMotion] = ()  # what has come since the last tick; for a law that reads it
    events: Sequence[FootEvent] = ()  # that these contacts show: a law may begin its reference anew in this very tick


class Setpoint(NamedTuple):
    """What the joints shall have reached at the end of the tick, and how hard those that are driven by effort push."""

    position: list[float]  # rad
    velocity: list[float]  # rad/s
    saturated: list[bool]  # the law asked for more than the joint's limits allow
    # N·m over the tick; NaN where none is commanded, as for joints driven by position; empty where all of them are
    effort: Sequence[float] = ()


class LawReport(NamedTuple):
    """What a law did in its last tick."""

    branch: str  # the part of the law that was in force
    note: str = ""  # why the law cannot do what it is made for; empty where it can
    slip_reference: Sequence[float] = ()  # m/s along the robot's x axis, per foot, where the branch has one
    slip_velocity: Sequence[float] = ()  # m/s, likewise


class Law(Protocol):
    """Decides the setpoints of one tick."""

    @property
    def reads_contacts(self) -> bool:
        """Whether the law wants `Measured.contacts`. It must cope with a tick that has none."""
        ...

    @property
    def reads_odometry(self) -> bool:
        """Whether the law wants `Measured.odometry`. It must cope without."""
        ...

    @property
    def estimated(self) -> Sequence[Contact]:
        """The contacts that the law estimates itself; empty for a law that does not."""
        ...

    @property
    def report(self) -> LawReport:
        """What was done in the last tick that the law decided."""
        ...

    def tune(self, parameters: Any) -> None:
        """Go on with other parameters, of the same dataclass; those that are constant stay as they were."""
        ...

    def restart(self) -> None:
        """Forget what happened: time has gone back."""
        ...

    def observe(self, measured: Measured) -> None:
        """See a state, whether or not the law decides its tick."""
        ...

    def compute(self, measured: Measured, commanded: Setpoint, now: Point, ahead: Point) -> Setpoint:
        """The setpoint for the end of the tick.

        `commanded` is what the joints should have reached at its start, `now` and `ahead` are the reference at its
        start and end. `measured` has been observed already. On a robot with joints that are driven by effort a law is
        asked whenever there is a reference; while the other joints catch up with it, the law's effort alone is used.
        """
        ...
