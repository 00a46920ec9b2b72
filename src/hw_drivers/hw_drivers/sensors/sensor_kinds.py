"""The ways to read a sensor. A new one is one line in `SENSOR_KINDS`."""

from __future__ import annotations

from crawler_core.registry import LazyRegistry
from hw_drivers.sensors.sensor_map import SensorKind

SENSOR_KINDS: LazyRegistry[SensorKind] = LazyRegistry(
    "kind of hardware sensor",
    {
        "board": "hw_drivers.board.board_sensors:SENSOR_KIND",
        "i2c": "hw_drivers.sensors.i2c_imu:SENSOR_KIND",
        "supply": "hw_drivers.sensors.supply_sensor:SENSOR_KIND",
    },
)
