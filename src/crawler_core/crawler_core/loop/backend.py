"""The contract between the stack and whatever moves: a simulator, the equations, mock servos or real motors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, runtime_checkable

from crawler_core.types import JointCommand, Observation


class Backend(Protocol):
    """One robot behind one interface. docs/add_a_backend.md walks through an implementation.

    The caller has one thread and keeps the order: open, then any number of (observe, apply, advance), then close.
    Limits of the robot file are enforced before `apply` is called; a backend adds only what its device imposes.
    """

    simulated: ClassVar[bool]  # True: `advance` makes the time; False: time passes by itself
    kind: ClassVar[str]  # the name by which the user selects it

    def open(self) -> None:
        """Connect and check everything that can be checked without moving. Raises UserError or BackendFault."""
        ...

    def observe(self) -> Observation:
        """The present state. Raises BackendFault when it cannot be had."""
        ...

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints for the end of the next tick; returns those really applied. Ends a relaxed state."""
        ...

    def advance(self, dt: float) -> None:
        """A simulator integrates `dt` seconds; hardware returns at once."""
        ...

    def relax(self) -> None:
        """Take the torque off every joint, each one even if another fails. May be called at any time after open."""
        ...

    def close(self) -> None:
        """Release everything; the torque stays as the last apply or relax left it.

        May be called twice, and after a failed open.
        """
        ...


@runtime_checkable
class Recoverable(Protocol):
    """What a backend has besides whose devices latch errors of their own, as motors do and equations do not."""

    def recover(self) -> None:
        """Clear the devices' errors, with the torque off; nothing to do where there are none.

        Raises BackendFault with what is still wrong: then the stop stays latched.
        """
        ...

    def health(self) -> Mapping[str, object]:
        """How the devices are, for diagnostics: temperatures, lost answers. Any thread may ask; never raises."""
        ...
