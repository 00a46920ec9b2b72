"""A pretended robot: an emulator for each of its buses, whose motors' true angles move its equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.registry import load
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact
from crawler_models.models import model_of
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.emulation.emulator import Emulate, Emulator, LoadedEmulator
from hw_drivers.emulation.ground import EmulatedGround
from hw_drivers.emulation.model_load import ModelLoad


class Emulation:
    """The emulators, and the ground that their motors move the robot over.

    Motors that are driven by position say where their joints are, and the robot's equations follow; those that are
    driven by effort push the equations, which say how they turn. There is no ground for a robot without equations, nor
    for one with motors of both kinds: there each turns a rotor of its own.
    """

    def __init__(self, spec: RobotSpec, buses: Sequence[BusMap]) -> None:
        """Everything stands at home. Raises UserError where the robot cannot stand so."""
        home = {joint.name: joint.home for joint in spec.actuated}
        self.emulators: dict[str, Emulator] = {}
        self._order: list[str] = []
        self._bus_of = {joint.joint: bus.name for bus in buses for joint in bus.joints}
        drives = {joint.by_effort for joint in spec.actuated} if model_of(spec).plant is not None else set()
        self._ground = EmulatedGround(spec) if drives == {False} else None
        self._pushed = ModelLoad(spec) if drives == {True} else None
        self._spec = spec
        try:
            for bus in buses:
                start = [home[joint.joint] for joint in bus.joints]
                emulate: Emulate = load(bus.kind.emulator, what=f"the emulator of a bus of kind {bus.kind_name}")
                self.emulators[bus.name] = emulate(bus.settings, bus.joints, start)
                self._order += [joint.joint for joint in bus.joints]
            if self._pushed is not None:
                for joint in spec.actuated:
                    emulator = self.emulators[self._bus_of[joint.name]]
                    assert isinstance(emulator, LoadedEmulator)  # as its kind says: by_effort
                    emulator.carry(joint.name, self._pushed.load(joint.name))
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
        """Where the base is now, and what the feet do; nothing where there is no ground."""
        if self._ground is None and self._pushed is None:
            return None, ()
        angles, rates = (np.array([row[name] for name in self._spec.actuated_names]) for row in self.motion())
        if self._pushed is not None:
            return self._pushed.look()
        assert self._ground is not None
        return self._ground.move(angles, rates)

    def recover(self) -> None:
        """Put a robot that has fallen on its feet. Raises BackendFault."""
        if self._pushed is not None:
            self._pushed.recover()

    def motion(self) -> tuple[dict[str, float], dict[str, float]]:
        """The joints' true angles (rad) and rates (rad/s) now, by name."""
        moved = [emulator.motion() for emulator in self.emulators.values()]
        angles, rates = (np.concatenate(rows).tolist() for rows in zip(*moved, strict=True))
        return dict(zip(self._order, angles, strict=True)), dict(zip(self._order, rates, strict=True))

    def close(self) -> None:
        """End the emulators. May be called twice."""
        for emulator in self.emulators.values():
            emulator.close()
