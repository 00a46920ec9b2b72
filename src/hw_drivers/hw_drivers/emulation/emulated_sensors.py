"""The emulated sensors of a robot, fed with what simulated ones read from the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from crawler_core.registry import import_object
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.simulated_sensors import SimulatedSensors
from crawler_core.types import BatteryReading, Observation, SensorReading
from hw_drivers.emulation.emulator import Emulator
from hw_drivers.sensors.emulated_imu import EmulatedSensor
from hw_drivers.sensors.sensor_kinds import SENSOR_KINDS
from hw_drivers.sensors.sensor_map import SensorMap
from hw_drivers.sensors.supply_sensor import SUPPLY_KIND

EMULATED_PROFILE = "typical"  # of sensors, unless a run says otherwise


class EmulatedSensors:
    """Devices that measure. Noise and bias are those of simulated sensors; rates and delays come from the drivers."""

    def __init__(self, spec: RobotSpec, sensors: Sequence[SensorMap], emulators: Mapping[str, Emulator]) -> None:
        """Attach the sensors of the emulated buses to these, and make the others."""
        self._sensors = {sensor.name: sensor for sensor in sensors}
        self._emulators = emulators
        self._devices: dict[str, EmulatedSensor] = {}
        self._last_ns: int | None = None
        self.simulated = SimulatedSensors(at_device(spec, list(self._sensors)), EMULATED_PROFILE)
        for name, emulator in emulators.items():
            emulator.attach_sensors([s for s in sensors if s.bus == name and s.kind_name != SUPPLY_KIND])
        for sensor in sensors:
            if emulate := SENSOR_KINDS[sensor.kind_name].emulator:
                what = f"the emulator of a sensor of kind {sensor.kind_name}"
                self._devices[sensor.name] = import_object(emulate, what=what)(sensor)

    def driver_options(self, sensor: SensorMap) -> dict[str, Any]:
        """Return the keywords by which a sensor's driver is made for its emulated device."""
        return {"port": self._devices[sensor.name].port}

    def update(self, truth: Observation) -> None:
        """Let every sensor measure the truth, once for each time."""
        if truth.time_ns == self._last_ns:
            return
        self._last_ns = truth.time_ns
        for reading in self.simulated.update(truth):
            self._measure(reading)

    def _measure(self, reading: SensorReading) -> None:
        sensor = self._sensors[reading.sensor]
        if sensor.name in self._devices:
            self._devices[sensor.name].measure(reading)
        elif sensor.kind_name == SUPPLY_KIND:
            assert isinstance(reading, BatteryReading)
            self._emulators[sensor.bus].set_supply(reading.voltage)
        else:
            self._emulators[sensor.bus].measure(reading)

    def close(self) -> None:
        """Remove the emulated devices. May be called twice."""
        for device in self._devices.values():
            device.close()


def at_device(spec: RobotSpec, names: Sequence[str]) -> RobotSpec:
    """Return the robot with these sensors alone, as their devices have them: without delay and loss."""
    sensors = tuple(replace(sensor, delay=0.0, loss=0.0) for sensor in spec.sensors if sensor.name in names)
    return replace(spec, sensors=sensors)
