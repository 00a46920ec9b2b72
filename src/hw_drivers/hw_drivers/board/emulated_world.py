"""Measurements of the sensors beside an emulated board's motors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crawler_core.types import ImuReading, SensorReading, SwitchReading
from hw_drivers.board.board_sensors import input_volts
from hw_drivers.board.firmware import FirmwareSensors
from hw_drivers.sensors.sensor_map import SensorMap

FIRST_PART, NO_CABLE = 1, 2  # of FirmwareSensors.imu


class EmulatedWorld:
    """A board with exactly the sensors of the robot file. It forgets nothing when the board restarts."""

    def __init__(self, sensors: Sequence[SensorMap]) -> None:
        self._sensors = {sensor.name: sensor for sensor in sensors}
        self.state = FirmwareSensors()
        self.has_changed = True  # since the firmware has seen it
        for sensor in sensors:
            if sensor.sensor.kind == "imu":
                self.state.imu = FIRST_PART
            elif sensor.sensor.kind == "contact_switch":
                self.state.switches = max(self.state.switches, sensor.settings.input + 1)
            else:
                self.state.inputs = max(self.state.inputs, sensor.settings.input + 1)

    def measure(self, reading: SensorReading) -> None:
        """Let a sensor measure this from now on. Values that are no numbers are no measurement."""
        sensor = self._sensors.get(reading.sensor)
        if sensor is None:
            return
        self.has_changed = True
        if isinstance(reading, ImuReading):
            values = (*reading.angular, *reading.linear)
            if all(map(math.isfinite, values)):
                self.state.angular[:], self.state.linear[:] = values[:3], values[3:]
                self.state.sample += 1
        elif isinstance(reading, SwitchReading):
            bit = 1 << sensor.settings.input
            is_closed = reading.closed != sensor.settings.normally_closed
            self.state.closed = self.state.closed | bit if is_closed else self.state.closed & ~bit
        elif math.isfinite(volts := input_volts(sensor, reading)):
            self.state.volts[sensor.settings.input] = volts

    def set_cable(self, is_on: bool) -> None:
        """Take the IMU's cable off, or put it back."""
        if self.state.imu:
            self.state.imu, self.has_changed = FIRST_PART if is_on else NO_CABLE, True
