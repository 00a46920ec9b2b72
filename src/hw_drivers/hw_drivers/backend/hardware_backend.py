"""The backend of real motors on their buses."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import limit_speed
from crawler_core.types import FloatArray, JointCommand, Observation
from hw_drivers.backend.calibration import apply_calibration, calibration_path, read_zeros
from hw_drivers.backend.hardware_map import BusMap, hardware_map
from hw_drivers.backend.hardware_settings import NO_CALIBRATION, HardwareSettings
from hw_drivers.bus.bus import POWER_OFF_REMEDY, Reading
from hw_drivers.bus.bus_loop import BusLoop, for_each_bus
from hw_drivers.bus.fault_latch import FaultLatch

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
        self.latch = FaultLatch()
        self.loops: list[BusLoop] = []
        self._closed_with_torque: list[str] = []  # buses

    def open(self) -> None:
        """Open the ports, find every motor and set it up; nothing moves. Raises UserError or BusFault."""
        self.latch.clear()
        needs_ticks = self._spec.safety.on_exit != "hold"
        try:
            for bus in self._buses:
                driver = bus.kind.make(bus.name, bus.settings)
                loop = BusLoop(driver, bus.joints, self._dt, self._answer_timeout, self.latch, needs_ticks=needs_ticks)
                self.loops.append(loop)
                driver.open()
                driver.configure(bus.joints)
            for loop in self.loops:
                loop.start()
        except BaseException:
            self.close()
            raise
        self._closed_with_torque = []  # setting motors up takes their torque off
        self._last_position: FloatArray | None = None  # rad, of the last setpoints; None while the torque is off
        self._epoch_ns = _steady_clock_epoch_ns()

    def observe(self) -> Observation:
        """Return the motors' last readings. Raises the fault that stopped the robot until `recover` has cleared it."""
        self._require_open()
        for loop in self.loops:
            loop.wait()
        if self.latch.fault is not None:
            raise self.latch.fault
        readings = self.readings()
        position, velocity, effort = (np.full(len(self._spec.joints), np.nan) for _ in range(3))
        for index, name in zip(self._spec.actuated_indices, self._spec.actuated_names, strict=True):
            one = readings[name]
            position[index], velocity[index], effort[index] = one.position, one.velocity, one.effort
        now = self._epoch_ns + round(max(loop.finished for loop in self.loops) * 1e9)
        return Observation(now, position, velocity, effort)

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
        # the epoch stays while the robot moves: setting the system's clock must not move it
        self._epoch_ns = _steady_clock_epoch_ns()
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
        self.latch.clear()

    def health(self) -> Mapping[str, object]:
        """Return diagnostics: torque certainly off, cycle times, missed answers, temperatures and voltages."""
        has_torque = any(loop.may_have_torque for loop in self.loops) if self.loops else bool(self._closed_with_torque)
        values: dict[str, object] = {"torque_off": not has_torque}
        for loop in self.loops:
            values[f"{loop.bus.name}.cycle_ms"] = 1e3 * loop.cycle_time
            values[f"{loop.bus.name}.missed_answers"] = loop.liveness.missed
        for name, reading in self.readings().items():
            for quantity in ("temperature", "voltage"):
                if math.isfinite(value := getattr(reading, quantity)):
                    values[f"{name}.{quantity}"] = value
        return values

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

    def _require_open(self) -> None:
        if not self.loops:
            raise BackendFault("the hardware backend is not open", remedy="configure it first")


def _steady_clock_epoch_ns() -> int:
    """Return the ROS time of the steady clock's zero, ns."""
    return time.time_ns() - time.monotonic_ns()


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
    if settings.calibration == NO_CALIBRATION:
        return buses
    path = Path(settings.calibration) if settings.calibration else calibration_path(spec.name)
    if settings.calibration or path.exists():
        buses = apply_calibration(buses, read_zeros(path, spec.name, spec.actuated_names))
    return buses


BACKEND_ENTRY = BackendEntry(
    "hw_drivers", "hardware_backend", HardwareBackend, HardwareSettings, check=configured_buses
)
