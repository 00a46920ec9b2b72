"""The hardware backend: real motors on real buses, or on emulated ones that speak the same bytes."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from crawler_core.errors import BackendFault, UserError, unknown_name
from crawler_core.limits import JointLimits, limit_command
from crawler_core.robot import RobotSpec
from crawler_core.types import FloatArray, JointCommand, Observation
from hw_drivers.alarm import Alarm
from hw_drivers.bus import Reading
from hw_drivers.bus_loop import BusLoop, each
from hw_drivers.calibration import calibrated, calibration_path, read_zeros
from hw_drivers.emulation import Emulation
from hw_drivers.hardware_map import BusMap, hardware_map
from hw_drivers.hardware_settings import NONE, HardwareSettings


class HardwareBackend:
    """The joints of a robot on their buses, one thread each. The first fault of any of them stops all."""

    simulated: ClassVar[bool] = False
    kind: ClassVar[str] = "hardware"

    def __init__(self, spec: RobotSpec, settings: HardwareSettings, dt: float) -> None:
        """Raises UserError where the robot file or the settings cannot be used; nothing is opened yet."""
        self._spec = spec
        self._settings = settings
        self._dt = dt
        self._buses = chosen_buses(spec, settings)
        by_name = {joint.joint: joint for bus in self._buses for joint in bus.joints}
        fastest = np.array([by_name[name].velocity for name in spec.actuated_names])
        anywhere = np.full(len(fastest), math.inf)  # where a joint may be is the supervisor's business
        self._limits = replace(JointLimits.of(spec), lower=-anywhere, upper=anywhere, velocity=fastest)
        slots = {name: i for i, name in enumerate(spec.actuated_names)}
        self._slots = {bus.name: [slots[joint.joint] for joint in bus.joints] for bus in self._buses}
        self.alarm = Alarm()
        self.loops: list[BusLoop] = []
        self.emulation: Emulation | None = None

    def open(self) -> None:
        """Open the ports, find every motor and set it up; nothing moves. Raises UserError or BusFault."""
        self.alarm.clear()
        buses = self._buses
        try:
            if self._settings.emulate:
                self.emulation = Emulation(self._spec, buses)
                buses = tuple(self.emulation.connected(bus) for bus in buses)
            for bus in buses:
                driver = bus.kind.make(bus.name, bus.settings)
                guarded = self._spec.safety.on_exit != "hold"
                loop = BusLoop(driver, bus.joints, self._dt, self._settings.patience, self.alarm, guarded=guarded)
                self.loops.append(loop)
                driver.open()
                driver.configure(bus.joints)
            for loop in self.loops:
                loop.start()
        except BaseException:
            self.close()
            raise
        self._sent: FloatArray | None = None  # the last setpoints; None while the torque is off
        self._opened_at = time.monotonic()
        self._ordered = self._settings.fail != "none"
        # ROS time of the steady clock's zero, once: a clock that is set while we run must not move the robot
        self._epoch = time.time_ns() - time.monotonic_ns()

    def observe(self) -> Observation:
        """What the motors last reported. Raises the fault that stopped the robot until `recover` has cleared it."""
        self._require_open()
        self._spoil()
        for loop in self.loops:
            loop.wait()
        if self.alarm.fault is not None:
            raise self.alarm.fault
        readings = self.readings()
        position, velocity, effort = (np.full(len(self._spec.joints), np.nan) for _ in range(3))
        for index, name in zip(self._spec.actuated_indices, self._spec.actuated_names, strict=True):
            one = readings[name]
            position[index], velocity[index], effort[index] = one.position, one.velocity, one.effort
        now = self._epoch + round(max(loop.finished for loop in self.loops) * 1e9)
        base, contacts = self.emulation.look() if self.emulation is not None else (None, ())
        return Observation(now, position, velocity, effort, base, contacts)

    def apply(self, command: JointCommand) -> JointCommand:
        """Send setpoints with the next cycle, no faster than the motors turn; the first ones bring the torque."""
        self._require_open()
        if self.alarm.fault is not None:
            raise self.alarm.fault
        if self._sent is None:
            try:
                each(self.loops, BusLoop.enable)
            except BackendFault as fault:
                self.alarm.sound(fault)
                self.relax()
                raise
            readings = self.readings()
            self._sent = np.array([readings[name].position for name in self._spec.actuated_names])
        safe, _ = limit_command(command, self._sent, self._limits, self._limits.velocity, self._dt)
        self._sent = safe.position.copy()
        for loop in self.loops:
            slots = self._slots[loop.bus.name]
            loop.aim(safe.position[slots], safe.velocity[slots], safe.effort[slots])
        return safe

    def advance(self, dt: float) -> None:
        """Begin a cycle on every bus; time passes by itself."""
        for loop in self.loops:
            loop.tick()

    def relax(self) -> None:
        """Take the torque off every joint, even if one fails. Raises BusFault that names the first that did."""
        self._sent = None
        faults = [fault for loop in self.loops for fault in loop.release()]
        if faults:
            raise faults[0]

    def recover(self) -> None:
        """Clear the motors' errors and open again what was gone; the torque stays off. Raises BusFault."""
        self._require_open()
        if self.alarm.fault is None:
            return
        self._sent = None
        each(self.loops, BusLoop.recover)
        self.alarm.clear()

    def health(self) -> Mapping[str, object]:
        """Temperature and voltage of each motor, cycle time and missed answers of each bus, for diagnostics."""
        values: dict[str, object] = {}
        for loop in self.loops:
            values[f"{loop.bus.name}.cycle_ms"] = 1e3 * loop.cycle_time
            values[f"{loop.bus.name}.missed_answers"] = loop.liveness.missed
        for name, reading in self.readings().items():
            for what in ("temperature", "voltage"):
                if math.isfinite(value := getattr(reading, what)):
                    values[f"{name}.{what}"] = value
        return values

    def readings(self) -> dict[str, Reading]:
        """The newest reading of each actuated joint."""
        return {reading.joint: reading for loop in self.loops for reading in loop.readings}

    def close(self) -> None:
        """Let go of the ports; the torque stays as it is. May be called twice."""
        for loop in self.loops:
            loop.stop()
        for loop in self.loops:
            loop.bus.close()
        self.loops = []
        if self.emulation is not None:
            self.emulation.close()
            self.emulation = None

    def _spoil(self) -> None:
        """Begin the ordered fault when its time has come."""
        if self._ordered and time.monotonic() - self._opened_at >= self._settings.fail_after:
            self._ordered = False
            if self.emulation is not None:
                self.emulation.inject(self._settings.fail, self._settings.fail_joint)

    def _require_open(self) -> None:
        if not self.loops:
            raise BackendFault("the hardware backend is not open", remedy="configure it first")


def chosen_buses(spec: RobotSpec, settings: HardwareSettings) -> tuple[BusMap, ...]:
    """The buses of a robot as its file, the calibration and the settings say. Raises UserError."""
    buses = hardware_map(spec)
    if settings.fail != "none" and not settings.emulate:
        raise UserError("backend.fail is for emulated motors: add backend.emulate = true, or leave it out.")
    if settings.fail_joint and settings.fail_joint not in spec.actuated_names:
        raise unknown_name("actuated joint", settings.fail_joint, spec.actuated_names)
    if settings.port:
        if settings.emulate:
            raise UserError("backend.port contradicts backend.emulate: emulated buses have ports of their own.")
        if len(buses) != 1:
            raise UserError(
                f"backend.port is for a robot with one bus, but '{spec.name}' has {len(buses)}: "
                "change hardware.buses in its robot.yaml."
            )
        buses = (replace(buses[0], settings=replace(buses[0].settings, port=settings.port)),)
    if settings.calibration == NONE:
        return buses
    path = Path(settings.calibration) if settings.calibration else calibration_path(spec.name)
    if settings.calibration or (path.exists() and not settings.emulate):
        buses = calibrated(buses, read_zeros(path, spec.name, spec.actuated_names))
    return buses
