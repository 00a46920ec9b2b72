"""State that the actions of `crawler hw` share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_core.errors import BackendFault, unknown_name
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_spec import RobotSpec
from hw_drivers.backend.hardware_backend import HardwareBackend, configured_buses, configured_sensors
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.backend.hardware_settings import HardwareSettings
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.emulation import Emulation
from hw_drivers.sensors.sensor_kinds import SENSOR_KINDS
from hw_drivers.sensors.sensor_map import SensorDriver, SensorMap
from hw_drivers.tools.slow_motion import open_supervised

Motors = HardwareBackend | EmulatedBackend


class HardwareTask:
    """One call of `crawler hw`: robot, settings, buses, and the result for --json."""

    def __init__(
        self, spec: RobotSpec, settings: HardwareSettings | EmulatedSettings, arguments: argparse.Namespace
    ) -> None:
        self.spec = spec
        self.settings = settings
        self.arguments = arguments
        self.result: dict[str, Any] = {"action": arguments.action}
        hardware = settings if isinstance(settings, HardwareSettings) else settings.hardware
        self.buses = configured_buses(spec, hardware)
        self.sensors = configured_sensors(spec, hardware)
        self._emulation: Emulation | None = None
        if arguments.joint and arguments.joint not in spec.actuated_names:
            raise unknown_name("actuated joint", arguments.joint, spec.actuated_names)

    def print(self, text: str) -> None:
        """Print a line, unless --json asks for one object."""
        if not self.arguments.json:
            print(text, flush=True)

    def report(self, faults: Sequence[BackendFault]) -> int:
        """Print the faults and keep them for --json. Return the exit code."""
        for fault in faults:
            print(f"crawler: {fault}. Remedy: {fault.remedy.rstrip('.')}.", file=sys.stderr)
        self.result["faults"] = [{"cause": str(f), "remedy": f.remedy, "joint": f.joint} for f in faults]
        return EXIT_NOT_DONE if faults else 0

    @contextmanager
    def ports(self) -> Iterator[tuple[BusMap, ...]]:
        """Yield the buses; with --emulate, buses connected to emulators."""
        if isinstance(self.settings, HardwareSettings):
            yield self.buses
            return
        self._emulation = Emulation(self.spec, self.buses, self.sensors)
        try:
            yield tuple(self._emulation.connected(bus) for bus in self.buses)
        finally:
            self._emulation.close()
            self._emulation = None

    def make_sensor_driver(self, sensor: SensorMap) -> SensorDriver:
        """Return the driver of a sensor that no bus reads; within `ports` with --emulate, of the emulated one."""
        make = SENSOR_KINDS[sensor.kind_name].make
        assert make is not None  # no bus reads it
        if self._emulation is None or self._emulation.sensors is None:
            return make(sensor)
        return make(sensor, **self._emulation.sensors.driver_options(sensor))

    @contextmanager
    def robot(self) -> Iterator[tuple[SupervisedBackend, Motors]]:
        """Yield all motors behind their supervisor, without torque until they move."""
        backend_class: Any = HardwareBackend if isinstance(self.settings, HardwareSettings) else EmulatedBackend
        with open_supervised(self.spec, lambda dt: backend_class(self.spec, self.settings, dt)) as supervised:
            yield supervised, cast(Motors, supervised.backend)
