"""The sensors beside the motors that a board reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.types import BatteryReading, ForceReading, SensorReading, SwitchReading
from hw_drivers.board.board_clock import BoardClock
from hw_drivers.board.messages import (
    ConfigureSensors,
    ImuFlag,
    ImuState,
    SensorFlag,
    SensorSetup,
    SensorState,
    StateMessage,
)
from hw_drivers.bus.setting import setting
from hw_drivers.sensors.imu_parts import scaled
from hw_drivers.sensors.sensor_map import SensorKind, SensorMap
from hw_drivers.sensors.sensor_schedule import SensorSchedule

MAX_COUNT = 32767  # of an IMU
RANGE_TOLERANCE = 1.01  # by which makers round ranges
INPUT_KINDS = ("battery", "foot_force")


@dataclass(frozen=True)
class BoardSensorSettings:
    """Keys of `hardware.sensors.<name>` with `kind: board`."""

    bus: str = setting("", doc="of the board")
    input: int = setting(0, lower=0, upper=7, doc="number of the switch, or of the analogue input")
    scale: float = setting(
        1.0, lower=-1e6, upper=1e6, doc="V of the battery, or N of the foot, for a volt at the analogue input"
    )
    offset: float = setting(0.0, unit="V", lower=-100.0, upper=100.0, doc="at the input where there is nothing")
    normally_closed: bool = setting(False, doc="the switch opens where the foot touches")


class BoardSensors:
    """Configuration and readings of the sensors on one board."""

    def __init__(self, sensors: Sequence[SensorMap]) -> None:
        self._sensors = tuple(sensors)
        self.restart()

    def __bool__(self) -> bool:
        return bool(self._sensors)

    def restart(self) -> None:
        """Forget the readings of the session before."""
        self._clock = BoardClock()
        self._schedules = {one.name: SensorSchedule(one.sensor.rate) for one in self._sensors}
        self._setup: SensorSetup | None = None
        self._last_sample: int | None = None  # us, of the IMU
        self.is_imu_silent = False

    def configuration(self) -> ConfigureSensors:
        """Make the message that configures them."""
        imu = self._imu
        rates = imu.sensor.gyro_range if imu is not None else math.inf
        forces = imu.sensor.accel_range if imu is not None else math.inf
        return ConfigureSensors(
            flags=SensorFlag.IMU * (imu is not None),
            inputs=_bits(one for one in self._sensors if one.sensor.kind in INPUT_KINDS),
            switches=_bits(one for one in self._sensors if one.sensor.kind == "contact_switch"),
            angular_range=_whole_range(math.degrees(rates)),
            linear_range=_whole_range(forces),
        )

    def check_version(self, version: int, since: int, path: str) -> None:
        """Raise UserError for a board that knows no sensors."""
        if self._sensors and version < since:
            raise UserError(
                f"the board on {path} speaks version {version} of the protocol, which has no sensors: flash firmware "
                f"of version {since}, or remove {_names(self._sensors)} from the robot file."
            )

    def check_setup(self, setup: SensorSetup, path: str) -> None:
        """Keep the scales of a board. Raises UserError where it does not have these sensors."""
        for sensor in self._sensors:
            kind, number = sensor.sensor.kind, sensor.settings.input
            if kind == "contact_switch" and number >= setup.switches:
                raise UserError(_too_few(sensor, path, "switches", setup.switches))
            if kind in INPUT_KINDS and number >= setup.inputs:
                raise UserError(_too_few(sensor, path, "analogue inputs", setup.inputs))
        imu = self._imu
        if imu is not None:
            self._check_imu(imu, setup, path)
        self._setup = setup

    def _check_imu(self, imu: SensorMap, setup: SensorSetup, path: str) -> None:
        instead = f"or remove {imu.key} from the robot file"
        if setup.imu == ImuState.NONE:
            raise UserError(f"the board on {path} has no IMU: wire one and name it in its wiring.h, {instead}.")
        if setup.imu == ImuState.SILENT:
            raise UserError(f"the IMU of the board on {path} does not answer: check its supply and wires, {instead}.")
        if setup.imu != ImuState.RUNS:
            raise UserError(
                f"the IMU of the board on {path} is another part than its firmware knows (WHO_AM_I "
                f"0x{setup.identity:02x}): take an LSM6DSO or LSM6DSOX, or add the part to the firmware, {instead}."
            )
        for key, unit, scale in (("gyro_range", "rad/s", setup.angular), ("accel_range", "m/s^2", setup.linear)):
            wanted, limit = getattr(imu.sensor, key), MAX_COUNT * scale
            if math.isfinite(wanted) and wanted > RANGE_TOLERANCE * limit:
                raise UserError(
                    f"sensors.{imu.name}.{key} = {wanted:g} is not allowed: the IMU of the board on {path} measures "
                    f"up to {limit:.4g} {unit}."
                )

    def problems(self) -> dict[str, str]:
        """Return why a sensor does not measure, by its name."""
        imu = self._imu
        return {imu.name: "its IMU does not answer the board"} if imu is not None and self.is_imu_silent else {}

    @property
    def _imu(self) -> SensorMap | None:
        return next((one for one in self._sensors if one.sensor.kind == "imu"), None)

    def update(self, state: StateMessage, arrival: float) -> list[SensorReading]:
        """Return the new readings of a state that came at `arrival` (s), with times by the driver's clock."""
        seen, setup = state.sensors, self._setup
        self._clock.update(state.time, arrival)
        if seen is None or setup is None:
            return []
        self.is_imu_silent = bool(seen.flags & ImuFlag.IMU_SILENT)
        time = self._clock.time(state.time)
        readings = []
        for sensor in self._sensors:
            if sensor.sensor.kind == "imu":
                reading = self._imu_reading(sensor, seen, setup)
            elif self._schedules[sensor.name].is_due(time):
                reading = _input_reading(sensor, seen, setup, round(1e9 * time))
            else:
                reading = None
            if reading is not None:
                readings.append(reading)
        return readings

    def _imu_reading(self, sensor: SensorMap, seen: SensorState, setup: SensorSetup) -> SensorReading | None:
        sample = seen.imu
        if sample is None or sample.time == self._last_sample:
            return None
        self._last_sample = sample.time
        time = self._clock.time(sample.time)
        if not self._schedules[sensor.name].is_due(time):
            return None
        angular, linear = scaled(sample.angular, setup.angular), scaled(sample.linear, setup.linear)
        return sensor.imu_reading(round(1e9 * time), angular, linear)


def _input_reading(sensor: SensorMap, seen: SensorState, setup: SensorSetup, time_ns: int) -> SensorReading | None:
    keys: BoardSensorSettings = sensor.settings
    number = keys.input
    if sensor.sensor.kind == "contact_switch":
        if not seen.switches >> number & 1:
            return None
        return SwitchReading(sensor.name, time_ns, bool(seen.closed >> number & 1) != keys.normally_closed)
    if number not in seen.inputs:
        return None
    value = keys.scale * (seen.inputs[number] * setup.input_scales[number] - keys.offset)
    if sensor.sensor.kind == "battery":
        return BatteryReading(sensor.name, time_ns, value)
    return ForceReading(sensor.name, time_ns, value)


def input_volts(sensor: SensorMap, reading: SensorReading) -> float:
    """Return the voltage at the analogue input of a sensor that reads this."""
    keys: BoardSensorSettings = sensor.settings
    value = reading.voltage if isinstance(reading, BatteryReading) else getattr(reading, "force", math.nan)
    return value / keys.scale + keys.offset


def check_board_sensor(sensor: SensorMap) -> None:
    """Raise UserError for keys that contradict the sensor."""
    if sensor.sensor.kind in INPUT_KINDS and not sensor.settings.scale:
        raise UserError(f"{sensor.key}.scale = 0 is not allowed: give the value for a volt at the input.")


def _bits(sensors: object) -> int:
    return sum({1 << one.settings.input for one in sensors})  # type: ignore[attr-defined]


def _whole_range(limit: float) -> int:
    """Return a range for the wire; 0, the largest, where none is declared."""
    return min(math.ceil(limit / RANGE_TOLERANCE), 65535) if math.isfinite(limit) else 0


def _names(sensors: Sequence[SensorMap]) -> str:
    return " and ".join(sensor.key for sensor in sensors)


def _too_few(sensor: SensorMap, path: str, what: str, number: int) -> str:
    have = f"{what} 0 to {number - 1}" if number else f"no {what}"
    return f"the board on {path} has {have}, but {sensor.key}.input is {sensor.settings.input}: change that."


SENSOR_KIND = SensorKind(
    BoardSensorSettings,
    ("imu", "contact_switch", "foot_force", "battery"),
    bus_kinds=("board",),
    check=check_board_sensor,
)
