"""Finds the sensors of a robot, before any run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.bus.bus import BusFault
from hw_drivers.sensors.sensor_map import SensorDriver, SensorMap
from hw_drivers.sensors.supply_sensor import SUPPLY_KIND
from hw_drivers.tools.bus_scan import open_bus


@dataclass(frozen=True)
class SensorScanResult:
    """One sensor, and the device that was found."""

    sensor: SensorMap
    found: str  # its device, in words; empty where it is missing
    problem: str = ""  # a sentence; empty where it is well


def scan_sensors(
    buses: Sequence[BusMap], sensors: Sequence[SensorMap], make: Callable[[SensorMap], SensorDriver]
) -> list[SensorScanResult]:
    """Look for every sensor; `make` makes the driver of one that no bus reads."""
    by_name = {bus.name: bus for bus in buses}
    results = []
    for sensor in sensors:
        try:
            if sensor.kind_name == SUPPLY_KIND:
                found = f"supply of the motors on '{sensor.bus}'"
            elif sensor.bus:
                with open_bus(by_name[sensor.bus]) as driver:
                    found = driver.find_sensor(sensor)
            else:
                found = _find(make(sensor))
        except UserError as error:
            results.append(SensorScanResult(sensor, "", str(error).rstrip(".")))
        except BusFault as fault:
            results.append(SensorScanResult(sensor, "", str(fault.as_user_error()).rstrip(".")))
        else:
            results.append(SensorScanResult(sensor, found))
    return results


def _find(driver: SensorDriver) -> str:
    try:
        driver.open()
        return driver.describe()
    finally:
        driver.close()
