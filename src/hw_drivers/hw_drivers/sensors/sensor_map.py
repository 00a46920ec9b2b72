"""One declared sensor, where it is read, and the contract of its driver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ImuReading, SensorReading, Vector

NO_BIAS: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class SensorMap:
    """One sensor of the robot file, and the keys of `hardware.sensors.<name>`."""

    sensor: SensorSpec
    kind_name: str
    settings: Any  # an instance of SensorKind.settings
    gyro_bias: Vector = NO_BIAS  # rad/s in the sensor's axes, as measured at rest

    @property
    def name(self) -> str:
        return self.sensor.name

    @property
    def key(self) -> str:
        """The sensor's key in the robot file, for error messages."""
        return f"hardware.sensors.{self.name}"

    @property
    def bus(self) -> str:
        """The name of the bus that reads it; empty where none does."""
        return str(getattr(self.settings, "bus", ""))

    def imu_reading(self, time_ns: int, angular: Vector, linear: Vector) -> ImuReading:
        """Make a reading without the measured bias, cut to the declared ranges."""
        p, q, r = (rate - bias for rate, bias in zip(angular, self.gyro_bias, strict=True))
        rates, forces = self.sensor.gyro_range, self.sensor.accel_range
        x, y, z = linear
        return ImuReading(
            self.name,
            time_ns,
            (_clamp(p, rates), _clamp(q, rates), _clamp(r, rates)),
            (_clamp(x, forces), _clamp(y, forces), _clamp(z, forces)),
        )


class SensorDriver(ABC):
    """A sensor that no bus reads. One thread at a time uses it."""

    @abstractmethod
    def open(self) -> None:
        """Find the sensor and set it up. Raises UserError with the remedy."""

    @abstractmethod
    def describe(self) -> str:
        """Return the device in words, once it is open."""

    @abstractmethod
    def read(self) -> SensorReading | None:
        """Return a new measurement, with its time by the driver's clock (ns); None where there is none yet.

        Raises BusFault where the sensor does not answer. `open` is called again then.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the port. Never raises."""


@dataclass(frozen=True)
class SensorKind:
    """One way to read sensors.

    `settings` is a frozen dataclass of crawler_core.parameters.parameter with the keys of `hardware.sensors.<name>`.
    One that a bus reads has the key `bus`.
    """

    settings: type
    measures: Sequence[str]  # kinds of sensors in the section `sensors`
    bus_kinds: Sequence[str] = ()  # that read it; empty: a driver of its own does
    make: Callable[..., SensorDriver] | None = None  # SensorMap; an emulation adds port, clock and sleep as keywords
    emulator: str = ""  # "module:object" that makes the emulated sensor, imported for emulated runs only
    check: Callable[[SensorMap], None] | None = None  # raises UserError for keys that contradict the sensor


def _clamp(value: float, limit: float) -> float:
    return max(-limit, min(value, limit))
