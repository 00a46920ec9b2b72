"""The contract between the hardware backend and a motor bus. Each kind of bus implements `Bus` once.

Angles, rates and torques are those of the *joint*: a bus converts with `JointMap` at its own edge. Arrays follow the
order of the joints given to `configure`. One thread at a time uses a bus.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

from crawler_core.errors import BackendFault, UserError
from crawler_core.types import FloatArray, SensorReading
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.sensors.sensor_map import SensorMap

if TYPE_CHECKING:
    from hw_drivers.bus.link_quality import LinkQuality

POWER_OFF_REMEDY = "switch the power of the motors off"
RESET_REMEDY = "put that right, then call reset and enable"


class BusFault(BackendFault):
    """A failure of a bus or of a device on it. `joint` is empty where the whole bus failed.

    The cause, `joint` and `remedy` reach the user through `diagnostics`.
    """

    @classmethod
    def of(cls, error: UserError, remedy: str = RESET_REMEDY) -> BusFault:
        """Turn a set-up error into a fault of a running bus."""
        return cls(str(error).rstrip("."), remedy=remedy)

    def as_user_error(self) -> UserError:
        """Return the same cause and remedy as one sentence, for a bus that does not run yet."""
        return UserError(f"{self}: {self.remedy}.")


class NoAnswer(Exception):
    """A device stayed silent, in all attempts."""


def torque_off_failed(joint: str, reason: str) -> BusFault:
    """Return the fault of a joint whose motor may still hold torque."""
    return BusFault(f"the torque of {joint} could not be switched off: {reason}", remedy=POWER_OFF_REMEDY, joint=joint)


class Source(Enum):
    MEASURED = "measured"
    COMMANDED = "commanded"  # the device has no sensor: this is the last setpoint


@dataclass(frozen=True)
class Device:
    id: int
    model: str
    detail: str = ""  # firmware, serial number and the like, for people


@dataclass(frozen=True)
class Reading:
    """One joint as its device last reported it. Values that a device does not report are NaN."""

    joint: str
    time: float  # s by the driver's clock, of the device's last answer: a lost reply leaves the old reading in place
    position: float  # rad
    velocity: float  # rad/s
    effort: float = math.nan  # N·m
    temperature: float = math.nan  # °C
    voltage: float = math.nan  # V
    errors: tuple[str, ...] = ()  # the device's own error flags, in words; each one is a fault of this joint
    remedy: str = ""  # against the errors; empty: remove the cause
    source: Source = Source.MEASURED

    @classmethod
    def missing(cls, joint: str) -> Reading:
        """Return the reading of a joint whose device has never answered."""
        return cls(joint, -math.inf, math.nan, math.nan)


class Bus(ABC):
    """One port with its devices. The order is open, configure, then cycles of write and read, then close."""

    kind: ClassVar[str]
    name: str  # as in hardware.buses.<name>
    quality: LinkQuality  # of the answers, which `read` counts

    @abstractmethod
    def open(self) -> None:
        """Open the port; nothing moves. Raises UserError with the remedy (no port, no permission)."""

    @abstractmethod
    def scan(self) -> tuple[Device, ...]:
        """Return every device that answers. Raises BusFault where the port itself fails."""

    @abstractmethod
    def configure(self, joints: Sequence[JointMap]) -> None:
        """Find and set up the joints' devices with the torque off. A torque that was on goes off.

        Raises UserError for everything that can be known before torque: a missing id, a wrong model, a limit that the
        device cannot reach, a supply out of range, an error that the device already reports.
        """

    def attach_sensors(self, sensors: Sequence[SensorMap]) -> None:  # noqa: B027  (few buses read sensors)
        """Read these sensors too, from the next `configure` on, which raises UserError for those it does not find."""

    def find_sensor(self, sensor: SensorMap) -> str:
        """Return the device of a sensor on this open bus, in words.

        Raises UserError or BusFault where it is missing.
        """
        raise UserError(f"a bus of kind {self.kind} reads no sensors: change {sensor.key}.bus.")

    def take_sensor_readings(self) -> Sequence[SensorReading]:
        """Return the readings of sensors since the last call, with times by the driver's clock (ns)."""
        return ()

    def sensor_problems(self) -> Mapping[str, str]:
        """Return why a sensor of this bus does not measure, by its name."""
        return {}

    @abstractmethod
    def read(self) -> tuple[Reading, ...]:
        """Return the newest reading of every joint.

        A lost, late or damaged reply is no error here: that joint keeps its old `time`, and `Liveness` decides when
        that is too old. Raises BusFault where the bus itself is gone.
        """

    @abstractmethod
    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """Send the setpoints for the end of this cycle. A NaN effort is not commanded.

        A joint that is driven by effort gets the effort alone, and none for NaN; its position and velocity may be NaN.
        Before `enable` this only sets the setpoints to start from. Raises BusFault where the bus is gone.
        """

    def enable(self) -> None:
        """Switch the torque on for every joint, which stays where it is, and arm the devices' own watchdogs.

        Raises BusFault where a joint does not confirm; the torque of all is switched off again.
        """
        try:
            self._switch_on()
        except BusFault:
            self.release()
            raise

    @abstractmethod
    def _switch_on(self) -> None:
        """Do what `enable` says. Raises BusFault."""

    @abstractmethod
    def release(self) -> tuple[BusFault, ...]:
        """Switch the torque off for every joint; each one is tried even if another fails. Returns the failures.

        Never raises. Works after a failed `configure` too, as far as devices answer: `crawler hw estop` needs that.
        """

    def keep_alive(self) -> None:  # noqa: B027  (nothing by default)
        """Feed the devices' watchdogs where a cycle of write and read does not do that by itself."""

    def clear(self) -> None:
        """Clear the devices' errors, with a reboot where one is needed, and set all up again without torque.

        Raises BusFault.
        """
        self.release()
        self._clear_devices()
        try:
            self.configure(self._joints())
        except UserError as error:
            raise BusFault.of(error) from None

    def _clear_devices(self) -> None:  # noqa: B027  (nothing by default)
        """Clear the errors that setting up does not clear. Raises BusFault."""

    @abstractmethod
    def _joints(self) -> list[JointMap]:
        """Return the joints of the last `configure`."""

    def find_zeros(self, joints: Sequence[JointMap]) -> tuple[str, ...]:
        """Set up, turn each joint with an unknown zero until its device knows it, and return these joints.

        The torque is off before and afterwards. Raises UserError and BusFault. Most devices always know their zeros.
        """
        return ()

    @abstractmethod
    def close(self) -> None:
        """Release the port. Torque stays as it is: a watchdog that would change it is disarmed first. Never raises."""


def _any_supply(_settings: Any, _joint: JointMap) -> tuple[float, float]:
    return 0.0, math.inf


def _fine_angle(_joint: JointMap) -> float:
    return 0.0


@dataclass(frozen=True)
class BusKind:
    """The parts of one kind of bus.

    The settings classes are frozen dataclasses of crawler_core.parameters.parameter. They hold the keys that
    `hardware.buses.<name>` and `hardware.joints.<name>` have beyond the common ones. Every `bus_settings` has a text
    `port`.
    """

    bus_settings: type
    joint_settings: type
    make: Callable[..., Bus]  # name, bus settings; an emulation adds its port and clock as keywords
    emulator: str  # "module:object" of a hw_drivers.emulation.emulator.Emulate, imported for emulated runs only
    supports_effort: bool = False  # joints on it may be driven by effort
    supports_position: bool = False  # joints that are driven by effort can also move to an angle, slowly
    # maps bus settings and joint to the lowest and highest supply (V) with which the device works
    supply_range: Callable[[Any, JointMap], tuple[float, float]] = _any_supply
    angle_step: Callable[[JointMap], float] = _fine_angle  # maps a joint to the step (rad) in which it is measured
