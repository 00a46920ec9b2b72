"""An emulated robot: an emulator for each of its buses, whose motors' true angles move its equations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.reality.reality import IDEAL, Reality
from crawler_core.registry import import_object
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, FloatArray, Observation
from crawler_models.model_registry import model_of
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.emulation.disturbance import Disturbance
from hw_drivers.emulation.emulated_sensors import EmulatedSensors
from hw_drivers.emulation.emulator import Emulate, Emulator, LoadedEmulator
from hw_drivers.emulation.ground import EmulatedGround
from hw_drivers.emulation.model_load import ModelLoad
from hw_drivers.emulation.virtual_clock import VirtualClock
from hw_drivers.sensors.sensor_map import SensorMap


class Emulation:
    """The emulators of a robot's buses, and the equations of the robot that their motors move.

    Position-driven motors move the equations: the joints are where the motors are. Effort-driven motors push the
    equations, which turn the motors. A robot without equations, or with motors of both kinds, has no base that moves:
    each of its motors turns a rotor of its own.
    """

    def __init__(
        self,
        spec: RobotSpec,
        buses: Sequence[BusMap],
        sensors: Sequence[SensorMap] = (),
        *,
        reality: Reality = IDEAL,
        seed: int = 0,
        in_real_time: bool = False,
    ) -> None:
        """Stand everything at home. Raises UserError where the robot cannot stand so.

        The motors have the imperfections of `reality`; two emulations with one `seed` have the same errors. In real
        time, serial buses are behind pseudo-terminals, for other programs. Otherwise time is that of `clocks`.
        """
        self.clocks = {} if in_real_time else {bus.name: VirtualClock() for bus in buses}
        home = {joint.name: joint.home for joint in spec.actuated}
        self.emulators: dict[str, Emulator] = {}
        self.sensors: EmulatedSensors | None = None
        self._names = [joint.joint for bus in buses for joint in bus.joints]
        self._bus_of = {joint.joint: bus.name for bus in buses for joint in bus.joints}
        drives = {joint.is_effort_driven for joint in spec.actuated} if model_of(spec).plant is not None else set()
        self._ground = EmulatedGround(spec, self._now) if drives == {False} else None
        self._load = ModelLoad(spec) if drives == {True} else None
        self._spec = spec
        try:
            for bus in buses:
                start = [home[joint.joint] for joint in bus.joints]
                emulate: Emulate = import_object(
                    bus.kind.emulator, what=f"the emulator of a bus of kind {bus.kind_name}"
                )
                clock = self.clocks.get(bus.name)
                self.emulators[bus.name] = emulate(
                    bus.settings, bus.joints, start, clock=clock, reality=reality, seed=seed
                )
            if self._load is not None:
                for joint in spec.actuated:
                    emulator = self.emulators[self._bus_of[joint.name]]
                    assert isinstance(emulator, LoadedEmulator)  # its kind supports effort
                    emulator.attach_load(joint.name, self._load.load(joint.name))
            self.sensors = EmulatedSensors(spec, sensors, self.emulators)
        except BaseException:
            self.close()
            raise

    def connected(self, bus: BusMap) -> BusMap:
        """Return the bus with its emulator's port, and in virtual time its clock, in place of the real ones."""
        emulator = self.emulators[bus.name]
        settings: Any = replace(bus.settings, port=emulator.port)
        kind = replace(bus.kind, make=partial(bus.kind.make, **emulator.driver_options()))
        return replace(bus, settings=settings, kind=kind)

    def _now(self) -> float:
        """Return the time (s) of the bus that is ahead, or that of the computer."""
        return max(clock() for clock in self.clocks.values()) if self.clocks else time.monotonic()

    def inject(self, fault: str, joint: str = "") -> None:
        """Begin a fault on the joint's bus or, without one, on all; `none` heals everything. Raises UserError."""
        if joint and joint not in self._bus_of:
            raise unknown_name("actuated joint", joint, self._bus_of)
        for name, emulator in self.emulators.items():
            if self._bus_of.get(joint, name) == name:
                emulator.inject(fault, joint)

    def disturb(self, disturbance: Disturbance | None, seed: int) -> None:
        """Disturb the lines of all buses from now on; None ends that."""
        for emulator in self.emulators.values():
            emulator.disturb(disturbance, seed)

    def torque(self) -> dict[str, bool]:
        """Return for each joint whether its motor holds torque."""
        return dict(zip(self._names, (on for e in self.emulators.values() for on in e.torque()), strict=True))

    def observe_base(self) -> tuple[BaseState | None, tuple[Contact, ...]]:
        """Return the base and the feet, or None and no feet where nothing moves a base. Raises BackendFault."""
        if self._load is not None:
            self.motion()  # brings the motors, and with them the equations, to the present
            return self._load.observe()
        if self._ground is None:
            return None, ()
        return self._ground.move(*self._actuated_motion(), any(self.torque().values()))

    @property
    def times_left(self) -> int:
        """Count of times at which the robot left the range of its equations, as where it falls."""
        moved = self._ground or self._load
        return 0 if moved is None else moved.times_left

    def measure(self, time_ns: int, base: BaseState | None, contacts: tuple[Contact, ...]) -> None:
        """Let the sensors measure the present truth."""
        if self.sensors is None:
            return
        position, velocity = (np.full(len(self._spec.joints), np.nan) for _ in range(2))
        actuated = self._spec.actuated_indices
        position[actuated], velocity[actuated] = self._actuated_motion()
        effort = np.full_like(position, np.nan)
        self.sensors.update(Observation(time_ns, position, velocity, effort, base, contacts))

    def recover(self) -> None:
        """Stand a robot up that has fallen or has left its equations. Raises BackendFault."""
        if self._load is not None:
            self._load.recover()
        if self._ground is not None:
            self._ground.recover(self._actuated_motion()[0])

    def motion(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return the joints' true angles (rad) and rates (rad/s) now, by name."""
        moved = [emulator.motion() for emulator in self.emulators.values()]
        angles, rates = (np.concatenate(rows).tolist() for rows in zip(*moved, strict=True))
        return dict(zip(self._names, angles, strict=True)), dict(zip(self._names, rates, strict=True))

    def _actuated_motion(self) -> tuple[FloatArray, FloatArray]:
        """Return the true angles (rad) and rates (rad/s) of the actuated joints, in the robot file's order."""
        angles, rates = (np.array([row[name] for name in self._spec.actuated_names]) for row in self.motion())
        return angles, rates

    def close(self) -> None:
        """End the emulators. May be called twice."""
        for emulator in self.emulators.values():
            emulator.close()
        if self.sensors is not None:
            self.sensors.close()
