"""The sensors beside the motors that a board reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crawler_core.errors import UserError
from crawler_core.types import BatteryReading, ForceReading, SensorReading, SwitchReading
from hw_drivers.board.board_clock import BoardClock
from hw_drivers.board.messages import (
    SENSORS_SINCE_VERSION,
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
    """Configuration and readings of the sensors on one board.

    A sensor that is not there is a problem that is reported; one that is required ends the set-up.
    """

    def __init__(self, sensors: Sequence[SensorMap]) -> None:
        self._sensors = tuple(sensors)
        self.restart()

    def __bool__(self) -> bool:
        return bool(self._sensors)

    def restart(self) -> None:
        """Forget the session before."""
        self._present = list(self._sensors)
        self._missing: dict[str, str] = {}  # why, by name
        self._clock = BoardClock()
        self._schedules = {one.name: SensorSchedule(one.sensor.rate) for one in self._sensors}
        self._setup: SensorSetup | None = None
        self._last_sample: int | None = None  # us, of the IMU
        self.is_imu_silent = False
        self.answer_share = 0.5  # of the bytes of an exchange

    def configuration(self) -> ConfigureSensors:
        """Make the message that configures those that are there."""
        imu = self._imu
        rates = imu.sensor.gyro_range if imu is not None else math.inf
        forces = imu.sensor.accel_range if imu is not None else math.inf
        return ConfigureSensors(
            flags=SensorFlag.IMU * (imu is not None),
            inputs=_bits(one for one in self._present if one.sensor.kind in INPUT_KINDS),
            switches=_bits(one for one in self._present if one.sensor.kind == "contact_switch"),
            angular_range=_whole_range(math.degrees(rates)),
            linear_range=_whole_range(forces),
        )

    def imu_configuration(self) -> ConfigureSensors:
        """Make the message that sets the IMU up and asks what there is; no board refuses it."""
        return replace(self.configuration(), inputs=0, switches=0)

    def check_version(self, version: int, path: str) -> None:
        """Note, or raise UserError, that a board knows no sensors."""
        if version < SENSORS_SINCE_VERSION:
            for sensor in tuple(self._present):
                self._miss(
                    sensor,
                    f"the board on {path} speaks version {version} of the protocol, which has no sensors: flash "
                    f"firmware of version {SENSORS_SINCE_VERSION}, or remove {sensor.key} from the robot file.",
                )

    def check_setup(self, setup: SensorSetup, path: str) -> None:
        """Keep the scales of a board, and note, or raise UserError, what it does not have."""
        self._setup = setup
        for sensor in tuple(self._present):
            if problem := _setup_problem(sensor, setup, path):
                self._miss(sensor, problem)

    def _miss(self, sensor: SensorMap, problem: str) -> None:
        if sensor.sensor.required:
            raise UserError(problem)
        self._present.remove(sensor)
        self._missing[sensor.name] = problem.rstrip(".")

    @property
    def has_any(self) -> bool:
        """True where the board has a sensor."""
        return bool(self._present)

    def problems(self) -> dict[str, str]:
        """Return why a sensor does not measure, by its name."""
        imu = self._imu
        silent = {imu.name: "it does not answer the board"} if imu is not None and self.is_imu_silent else {}
        return {**self._missing, **silent}

    @property
    def _imu(self) -> SensorMap | None:
        return next((one for one in self._present if one.sensor.kind == "imu"), None)

    def update(self, state: StateMessage, sent: float, arrival: float) -> list[SensorReading]:
        """Return the new readings of a state that was asked for at `sent` (s) and came at `arrival`.

        Their times are those of the driver's clock.
        """
        seen, setup = state.sensors, self._setup
        self._clock.update(state.time, arrival - self.answer_share * (arrival - sent))
        if seen is None or setup is None:
            return []
        self.is_imu_silent = bool(seen.flags & ImuFlag.IMU_SILENT)
        time = self._clock.time(state.time)
        readings = []
        for sensor in self._present:
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


def _setup_problem(sensor: SensorMap, setup: SensorSetup, path: str) -> str:
    """Return why a board cannot read a sensor, as a sentence; empty where it can."""
    kind, number = sensor.sensor.kind, sensor.settings.input
    if kind == "contact_switch":
        return _too_few(sensor, path, "switches", setup.switches) if number >= setup.switches else ""
    if kind in INPUT_KINDS:
        return _too_few(sensor, path, "analogue inputs", setup.inputs) if number >= setup.inputs else ""
    instead = f"or remove {sensor.key} from the robot file"
    if setup.imu == ImuState.NONE:
        return f"the board on {path} has no IMU: wire one and name it in its wiring.h, {instead}."
    if setup.imu == ImuState.SILENT:
        return f"the IMU of the board on {path} does not answer: check its supply and wires, {instead}."
    if setup.imu != ImuState.RUNS:
        return (
            f"the IMU of the board on {path} is another part than its firmware knows (WHO_AM_I "
            f"0x{setup.identity:02x}): take an LSM6DSO or LSM6DSOX, or add the part to the firmware, {instead}."
        )
    for key, unit, scale in (("gyro_range", "rad/s", setup.angular), ("accel_range", "m/s^2", setup.linear)):
        wanted, limit = getattr(sensor.sensor, key), MAX_COUNT * scale
        if math.isfinite(wanted) and wanted > RANGE_TOLERANCE * limit:
            return (
                f"sensors.{sensor.name}.{key} = {wanted:g} is not allowed: the IMU of the board on {path} measures up "
                f"to {limit:.4g} {unit}."
            )
    return ""


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


def describe_sensor(sensor: SensorMap, setup: SensorSetup) -> str:
    """Return a sensor's device on the board, in words."""
    number = sensor.settings.input
    if sensor.sensor.kind == "imu":
        rates, forces = MAX_COUNT * setup.angular, MAX_COUNT * setup.linear
        return f"IMU 0x{setup.identity:02x} on the board, up to {rates:.3g} rad/s and {forces:.3g} m/s^2"
    if sensor.sensor.kind == "contact_switch":
        return f"switch {number} of {setup.switches} on the board"
    return f"analogue input {number} of {setup.inputs} on the board, {setup.input_scales[number]:.3g} V a count"


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


def _too_few(sensor: SensorMap, path: str, what: str, number: int) -> str:
    have = f"{what} 0 to {number - 1}" if number else f"no {what}"
    return f"the board on {path} has {have}, but {sensor.key}.input is {sensor.settings.input}: change that."


SENSOR_KIND = SensorKind(
    BoardSensorSettings,
    ("imu", "contact_switch", "foot_force", "battery"),
    bus_kinds=("board",),
    check=check_board_sensor,
)
