"""The contract between the stack and what moves the joints: a simulator, equations, mock servos or real motors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from crawler_core.types import JointCommand, Observation

if TYPE_CHECKING:
    from crawler_core.sensors.simulated_sensors import SimulatedSensors


class Backend(Protocol):
    """One robot behind one interface. docs/add_a_backend.md shows an implementation.

    The caller has one thread and keeps the order: open, then any number of (observe, apply, advance), then close.
    Limits of the robot file are enforced before `apply` is called; a backend adds only the limits of its device.
    The robot's sensors are simulated from the base and the contacts of a simulation. Another backend that knows them
    has `simulates_sensors = True`.
    """

    simulated: ClassVar[bool]  # True: `advance` makes the time; False: time passes by itself
    kind: ClassVar[str]  # the name by which the user selects it

    def open(self) -> None:
        """Connect, and check everything that can be checked without moving. Raise UserError or BackendFault."""
        ...

    def observe(self) -> Observation:
        """Return the present state. Raise BackendFault when it cannot be had."""
        ...

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints for the end of the next tick; return those really applied. This ends a relaxed state."""
        ...

    def advance(self, dt: float) -> None:
        """Integrate `dt` seconds in a simulator; return at once on hardware."""
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
    """A backend whose devices latch errors of their own, as motors do."""

    def recover(self) -> None:
        """Clear the devices' errors, with the torque off; do nothing where there are none.

        Raise BackendFault with an error that cannot be cleared: then the stop stays latched.
        """
        ...

    def health(self) -> Mapping[str, object]:
        """Return temperatures, lost answers and the like, for diagnostics. Any thread may ask; never raises."""
        ...


@runtime_checkable
class WarningBackend(Protocol):
    """A backend whose devices can be in a condition that the user should know, and that is no fault."""

    def warning(self) -> str:
        """Return that condition in a sentence without a full stop; empty without one. Any thread may ask."""
        ...


@runtime_checkable
class ImperfectBackend(Protocol):
    """A simulation whose measured joints differ from the true ones."""

    def truth(self) -> Observation:
        """The present state with the joints as they are."""
        ...


@runtime_checkable
class SteppedEncoders(Protocol):
    """A backend whose devices measure angles in steps that may be coarse."""

    def angle_steps(self) -> Sequence[float]:
        """Return the steps (rad) of the actuated joints; 0: fine."""
        ...


@runtime_checkable
class SensorReader(Protocol):
    """A backend whose own devices read sensors of the robot: it puts their readings into its observations.

    Sensors that it does not read are simulated where the backend is a simulation, and missing on a robot.
    """

    def sensor_names(self) -> Collection[str]:
        """Return the sensors that its devices read, as the robot file names them."""
        ...


@runtime_checkable
class SensorEmulation(SensorReader, Protocol):
    """A simulation whose emulated devices read sensors."""

    def emulate_sensors(self, simulated: SimulatedSensors) -> None:
        """Let the devices measure what these sensors read from the truth, from the next `open` on."""
        ...
