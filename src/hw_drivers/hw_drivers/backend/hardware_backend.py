"""The backend of real motors on their buses."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import limit_speed
from crawler_core.types import FloatArray, JointCommand, Observation, SensorReading
from hw_drivers.backend.calibration import (
    Calibration,
    apply_biases,
    apply_calibration,
    calibration_path,
    read_calibration,
)
from hw_drivers.backend.device_plausibility import DevicePlausibility
from hw_drivers.backend.hardware_map import BusMap, hardware_map, hardware_sensors
from hw_drivers.backend.hardware_settings import NO_CALIBRATION, HardwareSettings
from hw_drivers.backend.sensor_maps import unmapped_sensors
from hw_drivers.bus.bus import POWER_OFF_REMEDY, Bus, Reading
from hw_drivers.bus.bus_loop import BusLoop, for_each_bus
from hw_drivers.bus.fault_latch import FaultLatch
from hw_drivers.sensors.sensor_kinds import SENSOR_KINDS
from hw_drivers.sensors.sensor_loop import SensorLoop
from hw_drivers.sensors.sensor_map import SensorMap
from hw_drivers.sensors.supply_sensor import SUPPLY_KIND, SupplySensor

FIRST_RELEASE_TIMEOUT_S = 0.05  # for a running cycle of one bus, before the torque of the next bus is taken off


class HardwareBackend:
    """The joints of a robot on their buses, one thread each. The first fault of any of them stops all."""

    simulated: ClassVar[bool] = False
    kind: ClassVar[str] = "hardware"

    def __init__(
        self, spec: RobotSpec, settings: HardwareSettings, dt: float, buses: Sequence[BusMap] | None = None
    ) -> None:
        """Prepare `buses`, or those of the robot file and the settings; nothing is opened yet.

        Raises UserError where the robot file or the settings cannot be used.
        """
        self._spec = spec
        self._dt = dt
        self._answer_timeout = settings.patience
        self._buses = configured_buses(spec, settings) if buses is None else tuple(buses)
        by_name = {joint.joint: joint for bus in self._buses for joint in bus.joints}
        joints = [by_name[name] for name in spec.actuated_names]
        self._max_speed = np.array([joint.velocity for joint in joints])  # rad/s
        self._max_effort = np.array([joint.effort for joint in joints])
        self._by_effort = np.array([joint.is_effort_driven for joint in spec.actuated])
        index = {name: i for i, name in enumerate(spec.actuated_names)}
        self._indices = {bus.name: [index[joint.joint] for joint in bus.joints] for bus in self._buses}
        self._sensors = configured_sensors(spec, settings)
        self._unread = [sensor.name for sensor in unmapped_sensors(spec, self._sensors)]
        self.latch = FaultLatch()
        self._plausibility = DevicePlausibility(self._buses)
        self.loops: list[BusLoop] = []
        self.sensor_loops: list[SensorLoop] = []
        self._supplies: list[tuple[BusLoop, SupplySensor]] = []
        self._closed_with_torque: list[str] = []  # buses

    def open(self) -> None:
        """Open the ports, find every motor and set it up; nothing moves. Raises UserError or BusFault."""
        self.latch.clear()
        needs_ticks = self._spec.safety.on_exit != "hold"
        try:
            for bus in self._buses:
                driver = bus.kind.make(bus.name, bus.settings)
                self.loops.append(self._make_loop(driver, bus, needs_ticks))
                driver.attach_sensors([sensor for sensor in bus.sensors if sensor.kind_name != SUPPLY_KIND])
                driver.open()
                driver.configure(bus.joints)
            self._open_sensors()
            for loop in self.loops:
                loop.start()
            self._start_sensors()
        except BaseException:
            self.close()
            raise
        self._closed_with_torque = []  # setting motors up takes their torque off
        self._last_position: FloatArray | None = None  # rad, of the last setpoints; None while the torque is off
        self._epoch_ns = self._clock_epoch_ns()  # stays: setting the system's clock must not move the robot

    def _make_loop(self, driver: Bus, bus: BusMap, needs_ticks: bool) -> BusLoop:
        return BusLoop(driver, bus.joints, self._dt, self._answer_timeout, self.latch, needs_ticks=needs_ticks)

    def _clock_epoch_ns(self) -> int:
        """Return the ROS time of the zero of the buses' clock, ns."""
        return time.time_ns() - time.monotonic_ns()

    def observe(self) -> Observation:
        """Return the motors' last readings. Raises the fault that stopped the robot until `recover` has cleared it."""
        self._require_open()
        for loop in self.loops:
            loop.wait()
        readings = self.readings()
        if self.latch.fault is None and (fault := self._plausibility.check(tuple(readings.values()))):
            self.latch.latch(fault)
        if self.latch.fault is not None:
            raise self.latch.fault
        position, velocity, effort = (np.full(len(self._spec.joints), np.nan) for _ in range(3))
        for index, name in zip(self._spec.actuated_indices, self._spec.actuated_names, strict=True):
            one = readings[name]
            position[index], velocity[index], effort[index] = one.position, one.velocity, one.effort
        now = self._epoch_ns + round(max(loop.finished for loop in self.loops) * 1e9)
        times = [readings[name].time for name in self._spec.actuated_names]
        measured = tuple(self._epoch_ns + round(time * 1e9) if math.isfinite(time) else 0 for time in times)
        return Observation(now, position, velocity, effort, readings=self._take_readings(), measured_ns=measured)

    def angle_steps(self) -> Sequence[float]:
        """Return the steps (rad) in which its devices measure the actuated joints; 0: fine."""
        steps = {joint.joint: bus.kind.angle_step(joint) for bus in self._buses for joint in bus.joints}
        return [steps[name] for name in self._spec.actuated_names]

    def sensor_names(self) -> Collection[str]:
        """Return the sensors that its devices read, as the robot file names them."""
        return [sensor.name for sensor in self._sensors]

    def sensor_problems(self) -> dict[str, str]:
        """Return why sensors do not measure, by their names."""
        problems = {name: text for loop in self.loops for name, text in loop.bus.sensor_problems().items()}
        return problems | {one.name: one.problem for one in self.sensor_loops if one.problem}

    def _open_sensors(self) -> None:
        """Set up the sensors that no bus reads. Raises UserError."""
        for sensor in self._sensors:
            if sensor.kind_name == SUPPLY_KIND:
                loop = next(loop for loop in self.loops if loop.bus.name == sensor.bus)
                self._supplies.append((loop, SupplySensor(sensor)))
            elif not sensor.bus:
                self.sensor_loops.append(self._make_sensor_loop(sensor))
                self.sensor_loops[-1].open()

    def _make_sensor_loop(self, sensor: SensorMap) -> SensorLoop:
        make = SENSOR_KINDS[sensor.kind_name].make
        assert make is not None  # no bus reads it
        return SensorLoop(sensor.name, make(sensor), sensor.sensor.rate, is_required=sensor.sensor.required)

    def _start_sensors(self) -> None:
        for loop in self.sensor_loops:
            loop.start()

    def _take_readings(self) -> tuple[SensorReading, ...]:
        """Return the readings of sensors since the last call, in the order of their times, which are ROS time."""
        found: list[SensorReading] = []
        for loop in self.loops:
            found += loop.take_sensor_readings()
        for sensor in self.sensor_loops:
            found += sensor.take_sensor_readings()
        found += [reading for bus, supply in self._supplies if (reading := supply.read(bus.readings)) is not None]
        found.sort(key=lambda reading: reading.time_ns)
        return tuple(replace(reading, time_ns=self._epoch_ns + reading.time_ns) for reading in found)

    def apply(self, command: JointCommand) -> JointCommand:
        """Send setpoints with the next cycle, limited to the motors' speed. The first ones switch the torque on.

        The effort of an effort-driven joint ends with that cycle; NaN commands none and is returned as 0.
        """
        self._require_open()
        if self.latch.fault is not None:
            raise self.latch.fault
        if self._last_position is None:
            self._last_position = self._enable()
        applied = self._limit_command(command, self._last_position)
        self._last_position = np.where(self._by_effort, self._last_position, applied.position)
        for loop in self.loops:
            indices = self._indices[loop.bus.name]
            loop.set_setpoints(applied.position[indices], applied.velocity[indices], applied.effort[indices])
        return applied

    def _enable(self) -> FloatArray:
        """Switch the torque on; return the joints' angles (rad). Raises BackendFault."""
        try:
            for_each_bus(self.loops, BusLoop.enable)
        except BackendFault as fault:
            self.latch.latch(fault)
            self.relax()
            raise
        readings = self.readings()
        return np.array([readings[name].position for name in self._spec.actuated_names])

    def _limit_command(self, command: JointCommand, last: FloatArray) -> JointCommand:
        """Limit a command that follows the angles `last` (rad) to what the motors can do."""
        if not self._by_effort.any():
            return limit_speed(command, last, self._max_speed, self._dt)
        by_effort = self._by_effort
        at_rest = JointCommand(
            np.where(by_effort, last, command.position), np.where(by_effort, 0.0, command.velocity), command.effort
        )
        limited = limit_speed(at_rest, last, self._max_speed, self._dt)
        wanted = np.where(np.isnan(command.effort), 0.0, command.effort)
        return JointCommand(
            np.where(by_effort, command.position, limited.position),
            np.where(by_effort, command.velocity, limited.velocity),
            np.where(by_effort, np.clip(wanted, -self._max_effort, self._max_effort), limited.effort),
        )

    def advance(self, dt: float) -> None:
        """Start a cycle on every bus; time passes by itself."""
        for loop in self.loops:
            loop.tick()

    def relax(self) -> None:
        """Take the torque off every joint, even if one fails. Raises BusFault that names the first that did."""
        self._last_position = None
        if not self.loops and self._closed_with_torque:
            raise BackendFault(
                f"the torque was left on where the buses were closed: {', '.join(self._closed_with_torque)}",
                remedy=f"configure the backend again and stop it then, or {POWER_OFF_REMEDY}",
            )
        # a bus that hangs must not delay the others
        failed = [loop for loop in self.loops if loop.release(FIRST_RELEASE_TIMEOUT_S)]
        faults = [fault for loop in failed for fault in loop.release()]
        if faults:
            raise faults[0]

    def recover(self) -> None:
        """Clear the motors' errors and open again what was gone; the torque stays off. Raises BusFault."""
        self._require_open()
        if self.latch.fault is None:
            return
        self._last_position = None
        for_each_bus(self.loops, BusLoop.recover)
        self._plausibility.reset()
        self.latch.clear()

    def health(self) -> Mapping[str, object]:
        """Return diagnostics: torque certainly off, cycle times, missed answers, temperatures and voltages."""
        has_torque = any(loop.may_have_torque for loop in self.loops) if self.loops else bool(self._closed_with_torque)
        values: dict[str, object] = {"torque_off": not has_torque}
        for loop in self.loops:
            values[f"{loop.bus.name}.cycle_ms"] = 1e3 * loop.cycle_time
            values[f"{loop.bus.name}.missed_answers"] = loop.liveness.missed
            values[f"{loop.bus.name}.bad_answers"] = loop.bus.quality.bad_share
        for sensor in self.sensor_loops:
            values[f"{sensor.name}.failed_readings"] = sensor.failures
        values |= {f"{name}.problem": problem for name, problem in self.sensor_problems().items()}
        if self._unread:
            values["sensors_not_read"] = ", ".join(self._unread)
        for name, reading in self.readings().items():
            for quantity in ("temperature", "voltage"):
                if math.isfinite(value := getattr(reading, quantity)):
                    values[f"{name}.{quantity}"] = value
        return values

    def warning(self) -> str:
        """Return what is wrong with a bus, but no fault; empty without that."""
        return "; ".join(filter(None, (loop.bus.quality.warning() for loop in self.loops)))

    def readings(self) -> dict[str, Reading]:
        """Return the newest reading of each actuated joint."""
        return {reading.joint: reading for loop in self.loops for reading in loop.readings}

    def close(self) -> None:
        """Release the ports; the torque stays as it is. May be called twice."""
        for loop in self.loops:
            loop.stop()
        for loop in self.loops:
            loop.bus.close()
        self._closed_with_torque = [
            loop.bus.name for loop in self.loops if loop.may_have_torque
        ] or self._closed_with_torque
        self.loops = []
        for sensor in self.sensor_loops:
            sensor.close()
        self.sensor_loops, self._supplies = [], []

    def _require_open(self) -> None:
        if not self.loops:
            raise BackendFault("the hardware backend is not open", remedy="configure it first")


def configured_buses(spec: RobotSpec, settings: HardwareSettings) -> tuple[BusMap, ...]:
    """Return a robot's buses, merged from its file, its calibration and the settings. Raises UserError."""
    buses = hardware_map(spec)
    if settings.port:
        if len(buses) != 1:
            raise UserError(
                f"backend.port is for a robot with one bus, but '{spec.name}' has {len(buses)}: "
                "change hardware.buses in its robot.yaml."
            )
        buses = (replace(buses[0], settings=replace(buses[0].settings, port=settings.port)),)
    return apply_calibration(buses, configured_calibration(spec, settings))


def configured_sensors(spec: RobotSpec, settings: HardwareSettings) -> tuple[SensorMap, ...]:
    """Return where a robot's sensors are read, with the measured biases of gyroscopes. Raises UserError."""
    return apply_biases(hardware_sensors(spec), configured_calibration(spec, settings))


def configured_calibration(spec: RobotSpec, settings: HardwareSettings) -> Calibration:
    """Return what was measured on the robot; nothing where the settings name no file and the robot has none."""
    if settings.calibration == NO_CALIBRATION:
        return Calibration()
    path = Path(settings.calibration) if settings.calibration else calibration_path(spec.name)
    if not settings.calibration and not path.exists():
        return Calibration()
    return read_calibration(path, spec)


BACKEND_ENTRY = BackendEntry(
    "hw_drivers", "hardware_backend", HardwareBackend, HardwareSettings, check=configured_buses
)
