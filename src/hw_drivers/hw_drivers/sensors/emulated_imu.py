"""An emulated IMU on an I2C bus of its own, in place of smbus2's: its registers with their rules."""

from __future__ import annotations

import errno
import itertools
import math
import threading
from collections.abc import Sequence
from typing import Protocol

from crawler_core.types import ImuReading, SensorReading
from hw_drivers.ports.i2c_port import EMULATED_PORTS, I2c
from hw_drivers.sensors.i2c_imu import I2cImuSettings
from hw_drivers.sensors.imu_parts import IMU_PARTS, ImuPart, ImuRange
from hw_drivers.sensors.sensor_map import SensorMap

MAX_COUNT = 32767
_numbers = itertools.count()


class EmulatedSensor(Protocol):
    """A sensor of the emulation that no emulated bus has."""

    port: str  # opened by the driver in place of the robot file's

    def measure(self, reading: SensorReading) -> None:
        """Measure these values now."""
        ...

    def close(self) -> None:
        """Remove its port. May be called twice."""
        ...


class EmulatedImu:
    """One part at one address. Tests take its cable off (`is_connected`) or change its registers."""

    def __init__(self, part: ImuPart, address: int) -> None:
        self.part, self.address = part, address
        self.port = f"emulated-imu-{next(_numbers)}"
        self.is_connected = True
        self.has_port = True
        self._lock = threading.Lock()
        self.power_on()
        EMULATED_PORTS[self.port] = self._open

    def power_on(self) -> None:
        """Forget all settings, as without supply. The part sleeps then."""
        self.registers = bytearray(128)
        self.registers[self.part.identity_register] = next(iter(self.part.identities))

    def measure(self, reading: SensorReading) -> None:
        """Put the counts of a reading into the registers. Values that are no numbers are no measurement."""
        assert isinstance(reading, ImuReading)
        values = (*reading.angular, *reading.linear)
        with self._lock:
            if not (self._is_awake() and all(map(math.isfinite, values))):
                return
            part = self.part
            gyro = self._range(part.gyro_register, part.gyro_value, part.gyro_ranges)
            accel = self._range(part.accel_register, part.accel_value, part.accel_ranges)
            sample = part.pack(_counts(reading.angular, gyro), _counts(reading.linear, accel))
            self.registers[part.sample_register : part.sample_register + len(sample)] = sample
            self.registers[part.status_register] |= part.ready

    def close(self) -> None:
        """Remove its port. May be called twice."""
        EMULATED_PORTS.pop(self.port, None)

    def read_registers(self, address: int, register: int, length: int) -> list[int]:
        """Transfer as smbus2 does. Raises OSError."""
        with self._lock:
            self._require_answer(address)
            found = list(self.registers[register : register + length])
            if register == self.part.sample_register or register == self.part.status_register == 0x3A:
                self.registers[self.part.status_register] &= ~self.part.ready & 0xFF
            return found

    def write_registers(self, address: int, register: int, data: list[int]) -> None:
        """Transfer as smbus2 does. Raises OSError."""
        with self._lock:
            self._require_answer(address)
            if self.part.reset is not None and (register, data[0]) == self.part.reset[:2]:
                self.power_on()
            else:
                self.registers[register : register + len(data)] = bytes(data)

    def _open(self) -> I2c:
        if not self.has_port:
            raise OSError(errno.ENOENT, "No such file or directory")
        return _OpenBus(self)

    def _require_answer(self, address: int) -> None:
        if not self.has_port:
            raise OSError(errno.ENODEV, "No such device")
        if not self.is_connected or address != self.address:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def _is_awake(self) -> bool:
        values = self.registers
        return all(values[register] == value for register, value in self.part.settings)

    def _range(self, register: int, value: int, ranges: Sequence[ImuRange]) -> ImuRange:
        bits = self.registers[register] ^ value
        return next((one for one in ranges if one.bits == bits), ranges[0])


class _OpenBus:
    """The open emulated bus, in place of smbus2.SMBus."""

    def __init__(self, imu: EmulatedImu) -> None:
        self.read_i2c_block_data = imu.read_registers
        self.write_i2c_block_data = imu.write_registers

    def close(self) -> None:
        """Nothing is open."""


def emulate_imu(sensor: SensorMap) -> EmulatedImu:
    """Make the IMU of the robot file."""
    settings: I2cImuSettings = sensor.settings
    part = IMU_PARTS[settings.part]
    return EmulatedImu(part, settings.address or part.addresses[0])


def _counts(values: Sequence[float], chosen: ImuRange) -> list[int]:
    return [max(-MAX_COUNT - 1, min(round(value / chosen.scale), MAX_COUNT)) for value in values]
