"""The hardware backend: motors on their buses."""

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
from crawler_core.safety.joint_limits import JointLimits, limit_command
from crawler_core.types import FloatArray, JointCommand, Observation
from hw_drivers.backend.calibration import calibrated, calibration_path, read_zeros
from hw_drivers.backend.hardware_map import BusMap, hardware_map
from hw_drivers.backend.hardware_settings import NO_CALIBRATION, HardwareSettings
from hw_drivers.bus.bus import Reading
from hw_drivers.bus.bus_loop import BusLoop, each
from hw_drivers.bus.fault_latch import FaultLatch

FIRST_RELEASE_TIMEOUT_S = 0.05  # s that a cycle in hand may take, before the torque of other buses is seen to


class HardwareBackend:
    """The joints of a robot on their buses, one thread each. The first fault of any of them stops all."""

    simulated: ClassVar[bool] = False
    kind: ClassVar[str] = "hardware"

    def __init__(
        self, spec: RobotSpec, settings: HardwareSettings, dt: float, buses: Sequence[BusMap] | None = None
    ) -> None:
        """`buses` are used in place of those that robot file and settings say; nothing is opened yet.

        Raises UserError where the robot file or the settings cannot be used.
        """
        self._spec = spec
        self._settings = settings
        self._dt = dt
        self._buses = configured_buses(spec, settings) if buses is None else tuple(buses)
        by_name = {joint.joint: joint for bus in self._buses for joint in bus.joints}
        fastest = np.array([by_name[name].velocity for name in spec.actuated_names])
        anywhere = np.full(len(fastest), math.inf)  # where a joint may be is the supervisor's business
        self._limits = replace(JointLimits.of(spec), lower=-anywhere, upper=anywhere, velocity=fastest)
        self._pushed = np.array([joint.by_effort for joint in spec.actuated])
        self._hardest = np.array([by_name[name].effort for name in spec.actuated_names])
        slots = {name: i for i, name in enumerate(spec.actuated_names)}
        self._slots = {bus.name: [slots[joint.joint] for joint in bus.joints] for bus in self._buses}
        self.alarm = FaultLatch()
        self.loops: list[BusLoop] = []
        self._left: list[str] = []  # buses that were closed with the torque on

    def open(self) -> None:
        """Open the ports, find every motor and set it up; nothing moves. Raises UserError or BusFault."""
        self.alarm.clear()
        try:
            for bus in self._buses:
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
        self._left = []  # setting motors up takes their torque off
        self._sent: FloatArray | None = None  # the last setpoints; None while the torque is off
        self._epoch = _epoch()

    def observe(self) -> Observation:
        """What the motors last reported. Raises the fault that stopped the robot until `recover` has cleared it."""
        self._require_open()
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
        return Observation(now, position, velocity, effort)

    def apply(self, command: JointCommand) -> JointCommand:
        """Send setpoints with the next cycle, no faster than the motors turn; the first ones bring the torque.

        What pushes a joint that is driven by effort ends with that cycle; none is commanded by NaN, and returned as 0.
        """
        self._require_open()
        if self.alarm.fault is not None:
            raise self.alarm.fault
        if self._sent is None:
            # not while it moves: a clock that is set must not move the robot; but then the gait's time is another one
            self._epoch = _epoch()
            try:
                each(self.loops, BusLoop.enable)
            except BackendFault as fault:
                self.alarm.sound(fault)
                self.relax()
                raise
            readings = self.readings()
            self._sent = np.array([readings[name].position for name in self._spec.actuated_names])
        safe = self._limited(command, self._sent)
        self._sent = np.where(self._pushed, self._sent, safe.position)
        for loop in self.loops:
            slots = self._slots[loop.bus.name]
            loop.aim(safe.position[slots], safe.velocity[slots], safe.effort[slots])
        return safe

    def _limited(self, command: JointCommand, sent: FloatArray) -> JointCommand:
        """What the motors can do of a command after the setpoints `sent`."""
        if not self._pushed.any():
            return limit_command(command, sent, self._limits, self._limits.velocity, self._dt)[0]
        moved = JointCommand(
            np.where(self._pushed, sent, command.position),
            np.where(self._pushed, 0.0, command.velocity),
            command.effort,
        )
        safe, _ = limit_command(moved, sent, self._limits, self._limits.velocity, self._dt)
        push = np.clip(np.where(np.isnan(command.effort), 0.0, command.effort), -self._hardest, self._hardest)
        return JointCommand(
            np.where(self._pushed, command.position, safe.position),
            np.where(self._pushed, command.velocity, safe.velocity),
            np.where(self._pushed, push, safe.effort),
        )

    def advance(self, dt: float) -> None:
        """Begin a cycle on every bus; time passes by itself."""
        for loop in self.loops:
            loop.tick()

    def relax(self) -> None:
        """Take the torque off every joint, even if one fails. Raises BusFault that names the first that did."""
        self._sent = None
        if not self.loops and self._left:
            raise BackendFault(
                f"the torque was left on where the buses were closed: {', '.join(self._left)}",
                remedy="configure the backend again and stop it then, or switch the power of the motors off",
            )
        # a bus that hangs must not keep the torque of the others on while it is waited for
        held = [loop for loop in self.loops if loop.release(FIRST_RELEASE_TIMEOUT_S)]
        faults = [fault for loop in held for fault in loop.release()]
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
        """Whether the torque is off for certain, temperatures and voltages, cycle times and missed answers."""
        on = any(loop.torque for loop in self.loops) if self.loops else bool(self._left)
        values: dict[str, object] = {"torque_off": not on}
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
        self._left = [loop.bus.name for loop in self.loops if loop.torque] or self._left
        self.loops = []

    def _require_open(self) -> None:
        if not self.loops:
            raise BackendFault("the hardware backend is not open", remedy="configure it first")


def _epoch() -> int:
    """ROS time of the steady clock's zero, ns."""
    return time.time_ns() - time.monotonic_ns()


def configured_buses(spec: RobotSpec, settings: HardwareSettings) -> tuple[BusMap, ...]:
    """The buses of a robot as its file, the calibration and the settings say. Raises UserError."""
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
        buses = calibrated(buses, read_zeros(path, spec.name, spec.actuated_names))
    return buses


ENTRY = BackendEntry("hw_drivers", "hardware_backend", HardwareBackend, HardwareSettings, check=configured_buses)
