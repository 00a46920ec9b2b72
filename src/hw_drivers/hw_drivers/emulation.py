"""A pretended robot: an emulator for each of its buses, whose motors' true angles move its equations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.robot import RobotSpec
from crawler_core.types import BaseState, Contact, FloatArray
from crawler_models.catalogue import make_plant, model_of
from crawler_models.plant import Plant, PlantFault
from hw_drivers.bus import Emulator
from hw_drivers.hardware_map import BusMap

SHORTEST = 1e-4  # s between two looks for which the equations are advanced


class Emulation:
    """The emulators, and the world that their motors move."""

    def __init__(self, spec: RobotSpec, buses: Sequence[BusMap]) -> None:
        """Everything stands at home. Raises UserError where the robot cannot stand so."""
        home = {joint.name: joint.home for joint in spec.actuated}
        self.emulators: dict[str, Emulator] = {}
        self._order: list[str] = []
        self._bus_of = {joint.joint: bus.name for bus in buses for joint in bus.joints}
        self._world = World(spec) if model_of(spec).plant else None
        self._spec = spec
        try:
            for bus in buses:
                start = [home[joint.joint] for joint in bus.joints]
                self.emulators[bus.name] = bus.kind.emulate(bus.settings, bus.joints, start)
                self._order += [joint.joint for joint in bus.joints]
        except BaseException:
            self.close()
            raise

    def connected(self, bus: BusMap) -> BusMap:
        """The bus with its emulator's port in place of the robot file's."""
        settings: Any = replace(bus.settings, port=self.emulators[bus.name].port)
        return replace(bus, settings=settings)

    def inject(self, fault: str, joint: str = "") -> None:
        """Begin a fault on the joint's bus or, without one, on all; `none` heals everything. Raises UserError."""
        if joint and joint not in self._bus_of:
            raise unknown_name("actuated joint", joint, self._bus_of)
        for name, emulator in self.emulators.items():
            if self._bus_of.get(joint, name) == name:
                emulator.inject(fault, joint)

    def torque(self) -> dict[str, bool]:
        """Whether each joint's motor holds torque."""
        return dict(zip(self._order, (on for e in self.emulators.values() for on in e.torque()), strict=True))

    def look(self) -> tuple[BaseState | None, tuple[Contact, ...]]:
        """Where the base is now, and what the feet do; nothing where there are no equations for this robot."""
        if self._world is None:
            return None, ()
        angles, rates = (np.array([row[name] for name in self._spec.actuated_names]) for row in self.motion())
        return self._world.move(angles, rates)

    def motion(self) -> tuple[dict[str, float], dict[str, float]]:
        """The joints' true angles (rad) and rates (rad/s) now, by name."""
        moved = [emulator.motion() for emulator in self.emulators.values()]
        angles, rates = (np.concatenate(rows).tolist() for rows in zip(*moved, strict=True))
        return dict(zip(self._order, angles, strict=True)), dict(zip(self._order, rates, strict=True))

    def close(self) -> None:
        """End the emulators. May be called twice."""
        for emulator in self.emulators.values():
            emulator.close()


class World:
    """The robot's equations as the ground under the emulated motors."""

    def __init__(self, spec: RobotSpec, clock: Callable[[], float] = time.monotonic) -> None:
        self.falls = 0  # times that the equations ended, such as by a foot that would have left the ground
        self._plant: Plant = make_plant(spec)
        self._actuated = [spec.actuated_names.index(name) for name in self._plant.actuated]
        self._clock = clock
        self._at = clock()
        self._origin = 0.0  # m, world x of the equations' origin

    def move(self, angles: FloatArray, rates: FloatArray) -> tuple[BaseState, tuple[Contact, ...]]:
        """The joints have come to `angles` (rad) at `rates` (rad/s) since the last call."""
        now = self._clock()
        dt = now - self._at
        if dt > SHORTEST:
            q, dq = angles[self._actuated], rates[self._actuated]
            self._at = now
            try:
                self._plant.advance(q, dq, np.full_like(q, np.nan), dt)
            except (PlantFault, ValueError):
                self._pick_up(q)
        base = self._plant.base()
        x, y, z = base.position
        return (
            BaseState((x + self._origin, y, z), base.quaternion, base.linear, base.angular),
            self._plant.contacts(),
        )

    def _pick_up(self, q: FloatArray) -> None:
        """Put the robot on its feet again where it is: motors cannot be stopped by equations that end."""
        self.falls += 1
        x = self._plant.base().position[0]
        try:
            self._plant.reset(q)
        except ValueError:
            return  # it cannot stand at these angles: it stays as it was until it can
        self._origin += x - self._plant.base().position[0]
