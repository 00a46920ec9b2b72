"""The driver of a six-axis IMU on an I2C bus of this computer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.types import SensorReading
from hw_drivers.bus.bus import BusFault, NoAnswer
from hw_drivers.bus.setting import setting
from hw_drivers.ports.device_lock import DeviceLock
from hw_drivers.ports.i2c_port import I2cPort
from hw_drivers.sensors.imu_parts import IMU_PARTS, ImuPart, choose_range, scaled
from hw_drivers.sensors.sensor_map import SensorDriver, SensorKind, SensorMap

RANGE_TOLERANCE = 1.01  # a sensor of the robot file may have a range that its maker has rounded up
REMEDY = "check its cable; it is used again when it answers"


@dataclass(frozen=True)
class I2cImuSettings:
    """Keys of `hardware.sensors.<name>` with `kind: i2c`."""

    part: str = setting("lsm6dsox", choices=tuple(IMU_PARTS), doc="the IMU")
    port: str = setting("/dev/i2c-1", doc="the I2C bus")
    address: int = setting(0, lower=0, upper=0x77, doc="of the part, as its pin says; 0: its lower one")


class I2cImu(SensorDriver):
    """One IMU. A reading has the time of the middle of its transfer; the measurement is at most a sample older."""

    def __init__(
        self,
        sensor: SensorMap,
        *,
        port: str = "",
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Emulations pass their own `port`, `clock` and `sleep` (s)."""
        self._sensor = sensor
        settings: I2cImuSettings = sensor.settings
        self.part: ImuPart = IMU_PARTS[settings.part]
        self.address = settings.address or self.part.addresses[0]
        path = port or settings.port
        lock = DeviceLock(f"{path} at 0x{self.address:02x}") if path.startswith("/dev/") else None
        self._port = I2cPort(path, lock)
        self._clock, self._sleep = clock, sleep
        self._model = self.part.model
        self._gyro = choose_range(self.part.gyro_ranges, _needed(sensor.sensor.gyro_range))
        self._accel = choose_range(self.part.accel_ranges, _needed(sensor.sensor.accel_range))

    def open(self) -> None:
        self._check_ranges()
        self._port.open()
        try:
            self._set_up()
        except NoAnswer:
            raise UserError(self._missing()) from None
        except BusFault as fault:
            raise fault.as_user_error() from None

    def _check_ranges(self) -> None:
        for key, unit, chosen in (("gyro_range", "rad/s", self._gyro), ("accel_range", "m/s^2", self._accel)):
            wanted = getattr(self._sensor.sensor, key)
            if math.isfinite(wanted) and wanted > RANGE_TOLERANCE * chosen.limit:
                raise UserError(
                    f"sensors.{self._sensor.name}.{key} = {wanted:g} is not allowed: the {self.part.model} measures up "
                    f"to {chosen.limit:.4g} {unit}."
                )

    def _set_up(self) -> None:
        identity = self._get(self.part.identity_register)
        if identity not in self.part.identities:
            known = " or ".join(f"0x{value:02x} ({name})" for value, name in self.part.identities.items())
            raise UserError(
                f"the device at 0x{self.address:02x} on {self._port.path} is no {self.part.model}: its WHO_AM_I is "
                f"0x{identity:02x} instead of {known}. Change {self._sensor.key}.part or address."
            )
        self._model = self.part.identities[identity]
        if self.part.reset is not None:
            register, value, seconds = self.part.reset
            self._port.write(self.address, register, bytes([value]))
            self._sleep(seconds)
        ranges = (
            (self.part.gyro_register, self.part.gyro_value | self._gyro.bits),
            (self.part.accel_register, self.part.accel_value | self._accel.bits),
        )
        for register, value in (*self.part.settings, *ranges):
            self._port.write(self.address, register, bytes([value]))
            if self._get(register) != value:
                raise UserError(
                    f"the {self.part.model} at 0x{self.address:02x} on {self._port.path} does not keep its settings: "
                    "check its supply, and the pull-ups of SDA and SCL."
                )

    def describe(self) -> str:
        return (
            f"{self._model} at 0x{self.address:02x} on {self._port.path}, up to {self._gyro.limit:.3g} rad/s and "
            f"{self._accel.limit:.3g} m/s^2"
        )

    def read(self) -> SensorReading | None:
        try:
            if self._get(self.part.status_register) & self.part.ready != self.part.ready:
                return None
            before = self._clock()
            data = self._port.read(self.address, self.part.sample_register, self.part.sample_bytes)
            after = self._clock()
        except NoAnswer:
            raise BusFault(self._missing().partition(": ")[0], remedy=REMEDY) from None
        if len(data) != self.part.sample_bytes:
            return None
        gyro, accel = self.part.counts(data)
        angular, linear = scaled(gyro, self._gyro.scale), scaled(accel, self._accel.scale)
        return self._sensor.imu_reading(round(0.5e9 * (before + after)), angular, linear)

    def close(self) -> None:
        self._port.close()

    def _get(self, register: int) -> int:
        data = self._port.read(self.address, register, 1)
        if len(data) != 1:
            raise NoAnswer
        return data[0]

    def _missing(self) -> str:
        others = ", ".join(f"0x{one:02x}" for one in self.part.addresses if one != self.address)
        return (
            f"no {self.part.model} answers at 0x{self.address:02x} on {self._port.path}: check its 3.3 V, SDA and SCL, "
            f"or give {self._sensor.key}.address (it may be {others}; 'i2cdetect -y 1' shows what answers)."
        )


def _needed(limit: float) -> float:
    """Return what a range must hold; infinity, the largest range, where none is declared."""
    return limit / RANGE_TOLERANCE


SENSOR_KIND = SensorKind(I2cImuSettings, ("imu",), make=I2cImu, emulator="hw_drivers.sensors.emulated_imu:emulate_imu")
