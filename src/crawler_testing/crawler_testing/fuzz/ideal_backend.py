"""Joints that are where they are told, so that what moves wrongly was told wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, FloatArray, JointCommand, Observation
from sim_bridge.mock.rotor import Rotor

INERTIA, DAMPING = 1e-2, 1e-2  # kg·m² and N·m·s/rad of a joint that is driven by effort


@dataclass(frozen=True)
class IdealSettings:
    """Nothing can be set."""


class IdealBackend:
    """A simulation without physics. The base stands still and every foot sticks."""

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "ideal"

    def __init__(self, spec: RobotSpec, _settings: IdealSettings, dt: float) -> None:
        self._spec = spec
        self._dt = dt
        self._ticks = 0

    def open(self) -> None:
        """Stand at home."""
        self._position: FloatArray = np.array([joint.home for joint in self._spec.joints])
        self._velocity = np.zeros(len(self._position))
        self._goal = self._position[self._spec.actuated_indices]
        self._effort = np.zeros(len(self._goal))

    def observe(self) -> Observation:
        """The present state."""
        contacts = tuple(
            Contact(foot, ContactMode.STICK, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
            for foot in self._spec.foot_names
        )
        base = BaseState((0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        unknown = np.full(len(self._position), np.nan)
        time_ns = round(self._ticks * self._dt * 1e9)
        return Observation(time_ns, self._position.copy(), self._velocity.copy(), unknown, base, contacts)

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints."""
        self._goal, self._effort = command.position.copy(), np.nan_to_num(command.effort)
        return command

    def advance(self, dt: float) -> None:
        """Be where the setpoints are; joints that are driven by effort are rotors."""
        self._ticks += 1
        for k, (i, joint) in enumerate(zip(self._spec.actuated_indices, self._spec.actuated, strict=True)):
            if joint.by_effort:
                rotor = Rotor(INERTIA, DAMPING, self._position[i], self._velocity[i]).after(dt, self._effort[k])
                self._position[i], self._velocity[i] = rotor.angle, rotor.speed
            else:
                self._velocity[i] = (self._goal[k] - self._position[i]) / dt
                self._position[i] = self._goal[k]

    def relax(self) -> None:
        """Stay."""
        self._goal = self._position[self._spec.actuated_indices]
        self._effort = np.zeros(len(self._goal))

    def close(self) -> None:
        """Nothing is held."""
