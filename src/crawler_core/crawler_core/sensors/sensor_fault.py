"""Faults of sensors that a simulation injects on request."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BatteryReading, ForceReading, ImuReading, PoseReading, SensorReading, SwitchReading

# frozen: the last values again and again; nan: no numbers; biased: wrong by a constant; late: 0.5 s more delay;
# gone: no readings; no_voltage, high_voltage: 0 V and twice the voltage, of a battery
BATTERY_FAULTS = ("no_voltage", "high_voltage")
SENSOR_FAULTS = ("none", "frozen", "nan", "biased", "late", "gone", *BATTERY_FAULTS)
LATE_S = 0.5
GYRO_BIAS_RAD_S = 0.5
ACCEL_BIAS_M_S2 = 2.0
FORCE_BIAS_N = 5.0
VOLTAGE_BIAS = -0.3  # as a share of the voltage
POSITION_BIAS_M = 0.1


@dataclass(frozen=True)
class SensorFault:
    """A fault, and when (s of the run's time) it begins at which sensor; an empty name means all of them."""

    kind: str = "none"
    after: float = 1.0
    sensor: str = ""

    def check(self, spec: RobotSpec) -> None:
        """Raise UserError where the robot has no such sensor."""
        names = [sensor.name for sensor in spec.sensors]
        if self.sensor and self.sensor not in names:
            raise unknown_name("sensor for backend.sensor_fail_name", self.sensor, names)
        if self.kind != "none" and not names:
            raise UserError(f"backend.sensor_fail = '{self.kind}' is not allowed: '{spec.name}' has no sensors.")
        if self.kind in BATTERY_FAULTS:
            batteries = [sensor.name for sensor in spec.sensors if sensor.kind == "battery"]
            if not batteries or self.sensor not in ("", *batteries):
                sensors = " or ".join(batteries) or "none"
                raise UserError(
                    f"backend.sensor_fail = '{self.kind}' is not allowed with sensor_fail_name = '{self.sensor}': "
                    f"it is for a battery, of which '{spec.name}' has {sensors}."
                )

    def of(self, sensor: str) -> str:
        """Return the kind of fault that a sensor gets."""
        return self.kind if self.sensor in ("", sensor) else "none"


NO_FAULT = SensorFault()


class SensorFaultInjector:
    """Lets the readings of a run fail as `fault` says, from `fault.after` on."""

    def __init__(self, fault: SensorFault) -> None:
        self._fault = fault
        self.restart()

    def restart(self) -> None:
        """Begin a new run."""
        self._begin_ns: int | None = None  # of the fault
        self._last: dict[str, SensorReading] = {}  # before the fault, by sensor
        self._late: deque[tuple[int, SensorReading]] = deque()  # with the times of their arrival

    def apply(self, now_ns: int, readings: Sequence[SensorReading]) -> list[SensorReading]:
        """Return what arrives at the time of a state in place of these readings."""
        if self._begin_ns is None:
            self._begin_ns = now_ns + round(self._fault.after * 1e9)
        arrived: list[SensorReading] = []
        for reading in readings:
            if self._fault.of(reading.sensor) == "none":
                arrived.append(reading)
                continue
            if reading.time_ns < self._begin_ns or reading.sensor not in self._last:
                self._last[reading.sensor] = reading
            if reading.time_ns < self._begin_ns:
                arrived.append(reading)
            elif self._fault.kind == "late":
                self._late.append((now_ns + round(LATE_S * 1e9), reading))
            elif (distorted := _distort(reading, self._fault.kind, self._last[reading.sensor])) is not None:
                arrived.append(distorted)
        while self._late and self._late[0][0] <= now_ns:
            arrived.append(self._late.popleft()[1])
        return arrived


def _distort(reading: SensorReading, kind: str, last: SensorReading) -> SensorReading | None:
    """Return a reading under a fault; `last` is the one before the fault. None: there is no reading."""
    if kind == "frozen":
        return replace(last, time_ns=reading.time_ns)
    if kind == "nan":
        return _without_numbers(reading)
    if kind == "biased":
        return _biased(reading)
    if kind in BATTERY_FAULTS and isinstance(reading, BatteryReading):
        return replace(reading, voltage=0.0 if kind == "no_voltage" else 2.0 * reading.voltage)
    return None if kind == "gone" else reading


def _without_numbers(reading: SensorReading) -> SensorReading | None:
    """Return a reading whose numbers are NaN; a switch has none, and is silent."""
    none = math.nan, math.nan, math.nan
    match reading:
        case ImuReading():
            return replace(reading, angular=none, linear=none)
        case ForceReading():
            return replace(reading, force=math.nan)
        case BatteryReading():
            return replace(reading, voltage=math.nan, current=math.nan)
        case PoseReading():
            return replace(reading, position=none)
    return None


def _biased(reading: SensorReading) -> SensorReading:
    match reading:
        case ImuReading(angular=(p, q, r), linear=(x, y, z)):
            gyro, accel = GYRO_BIAS_RAD_S, ACCEL_BIAS_M_S2
            return replace(reading, angular=(p + gyro, q + gyro, r + gyro), linear=(x + accel, y + accel, z + accel))
        case SwitchReading(closed=closed):
            return replace(reading, closed=not closed)
        case ForceReading(force=force):
            return replace(reading, force=force + FORCE_BIAS_N)
        case BatteryReading(voltage=voltage):
            return replace(reading, voltage=voltage * (1.0 + VOLTAGE_BIAS))
        case PoseReading(position=(x, y, z)):
            return replace(reading, position=(x + POSITION_BIAS_M, y + POSITION_BIAS_M, z + POSITION_BIAS_M))
    return reading
