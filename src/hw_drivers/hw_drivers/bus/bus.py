"""The contract between the hardware backend and a motor bus. One implementation for each kind of bus.

Angles, rates and torques are those of the *joint*: a bus converts with `JointMap` at its own edge. Arrays follow the
order of the joints given to `configure`. One thread at a time uses a bus.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Protocol, runtime_checkable

from crawler_core.errors import BackendFault
from crawler_core.types import FloatArray


class BusFault(BackendFault):
    """A bus or a device on it failed. `str()` is the cause; `joint` is empty where it is the whole bus.

    `joint`, the cause and `remedy` reach the user through `diagnostics`.
    """


class Source(Enum):
    """How an angle is known."""

    MEASURED = "measured"
    COMMANDED = "commanded"  # the device has no sensor: this is what it was told


@dataclass(frozen=True)
class JointMap:
    """Where one joint's motor is, and how the motor's angle becomes the joint's."""

    joint: str
    id: int  # on its bus: servo id, CAN node, PWM channel
    direction: int  # 1, or -1 where the motor turns against the joint
    gear: float  # turns of the motor for one of the joint
    zero: float  # rad, the motor's angle where the joint's is 0
    lower: float  # rad at the joint, -inf for a continuous one
    upper: float  # rad at the joint, inf for a continuous one
    velocity: float  # rad/s at the joint, the most it may do
    effort: float  # N·m at the joint, the most it may do; 0: not limited
    own: Any  # an instance of BusKind.joint_settings: what only this kind of bus needs
    by_effort: bool = False  # driven by effort: positions and velocities of setpoints are not for it

    def to_motor(self, angle: float) -> float:
        """The motor's angle (rad) for a joint's."""
        return self.zero + self.direction * self.gear * angle

    def to_joint(self, angle: float) -> float:
        """The joint's angle (rad) for a motor's."""
        return (angle - self.zero) / (self.direction * self.gear)

    def rate_to_motor(self, rate: float) -> float:
        """The motor's rate (rad/s) for a joint's."""
        return self.direction * self.gear * rate

    def rate_to_joint(self, rate: float) -> float:
        """The joint's rate (rad/s) for a motor's."""
        return rate / (self.direction * self.gear)


@dataclass(frozen=True)
class Device:
    """What `scan` found."""

    id: int
    model: str
    detail: str = ""  # firmware, serial number, and the like, for people


@dataclass(frozen=True)
class Reading:
    """One joint as its device last reported it. What a device does not tell is NaN."""

    joint: str
    time: float  # s on time.monotonic(), when the device was last *heard*: a lost reply leaves the old reading in place
    position: float  # rad
    velocity: float  # rad/s
    effort: float = math.nan  # N·m
    temperature: float = math.nan  # °C
    voltage: float = math.nan  # V
    errors: tuple[str, ...] = ()  # the device's own error flags, in words; any of them is a fault of this joint
    remedy: str = ""  # what a person does about the errors; empty: remove the cause
    source: Source = Source.MEASURED


class Bus(Protocol):
    """One port with its devices. The order is open, configure, then cycles of write and read, then close."""

    kind: ClassVar[str]
    name: str  # as in hardware.buses.<name>

    def open(self) -> None:
        """Open the port; nothing moves. Raises UserError, one sentence with its remedy (no port, no permission)."""
        ...

    def scan(self) -> tuple[Device, ...]:
        """Every device that answers. Raises BusFault where the port itself fails."""
        ...

    def configure(self, joints: Sequence[JointMap]) -> None:
        """Find and set up the joints' devices; torque stays off, and what was on goes off.

        Raises UserError for whatever can be known before torque: a missing or duplicate id, a wrong model, a limit that
        the device cannot reach, a supply out of range, an error that the device already reports.
        """
        ...

    def read(self) -> tuple[Reading, ...]:
        """The newest reading of every joint.

        A reply that was lost, late or damaged is no error here: that joint keeps its old `time`, and the caller decides
        when that is too old. Raises BusFault where the bus itself is gone.
        """
        ...

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """Send setpoints: where each joint shall be at the end of this cycle. NaN efforts are not commanded.

        A joint that is driven by effort gets the effort alone, and none for NaN; its position and velocity may be NaN.
        Takes effect only while enabled; before `enable` it seeds the setpoints. Raises BusFault where the bus is gone.
        """
        ...

    def enable(self) -> None:
        """Torque on for every joint, which stays where it is; arms the devices' own watchdogs.

        Raises BusFault where a joint does not confirm; then the torque of all is off again, as far as they listen.
        """
        ...

    def release(self) -> tuple[BusFault, ...]:
        """Torque off for every joint, each one tried even if another fails. Returns the failures and never raises.

        Works after a failed `configure` too, as far as the devices listen: `crawler hw estop` needs that."""
        ...

    def keep_alive(self) -> None:
        """Feed the devices' watchdogs where a cycle of write and read does not do that by itself."""
        ...

    def clear(self) -> None:
        """Clear the devices' errors, with a reboot where that needs one; torque is off then. Raises BusFault."""
        ...

    def close(self) -> None:
        """Release the port. Torque stays as it is: a watchdog that would change it is disarmed first. Never raises."""
        ...


@runtime_checkable
class FindsZeros(Protocol):
    """What a bus can do besides whose devices forget where their joints are."""

    def find_zeros(self, joints: Sequence[JointMap]) -> tuple[str, ...]:
        """Find the joints' devices, and turn each joint whose zero is not known until it is; which ones those were.

        The torque is off before and afterwards. Raises UserError and BusFault.
        """
        ...


@dataclass(frozen=True)
class BusKind:
    """What a kind of bus is made from.

    The settings classes are frozen dataclasses of crawler_core.parameters.parameter: the keys that
    `hardware.buses.<name>` and `hardware.joints.<name>` have besides the common ones. Every `bus_settings` has a text
    `port`.
    """

    bus_settings: type
    joint_settings: type
    make: Callable[[str, Any], Bus]  # name, bus settings
    emulator: str  # "module:object" of a hw_drivers.emulation.emulator.Emulate; imported where motors are pretended
    by_effort: bool = False  # whether joints on it may be driven by effort
    places: bool = False  # whether those can be sent to an angle, too, for a slow motion without a law
