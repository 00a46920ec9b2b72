"""A battery whose voltage the motors report."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.types import BatteryReading
from hw_drivers.bus.bus import Reading
from hw_drivers.bus.setting import setting
from hw_drivers.sensors.sensor_map import SensorKind, SensorMap
from hw_drivers.sensors.sensor_schedule import SensorSchedule

SUPPLY_KIND = "supply"


@dataclass(frozen=True)
class SupplySettings:
    """Keys of `hardware.sensors.<name>` with `kind: supply`."""

    bus: str = setting("", doc="whose motors report their supply")


class SupplySensor:
    """The median of the voltages that the motors of one bus report: one bad servo or thin cable does not count."""

    def __init__(self, sensor: SensorMap) -> None:
        self._name = sensor.name
        self._schedule = SensorSchedule(sensor.sensor.rate)
        self._last = -math.inf  # s

    def read(self, readings: Sequence[Reading]) -> BatteryReading | None:
        """Return the voltage at the time of the newest answer; None where none is due or known."""
        known = [reading for reading in readings if math.isfinite(reading.voltage)]
        if not known:
            return None
        time = max(reading.time for reading in known)
        if time <= self._last or not self._schedule.is_due(time):
            return None
        self._last = time
        return BatteryReading(self._name, round(1e9 * time), statistics.median(one.voltage for one in known))


SENSOR_KIND = SensorKind(SupplySettings, ("battery",), bus_kinds=("dynamixel", "odrive", "board"))
