"""Backend whose joints reach every setpoint exactly, so that any wrong motion comes from a wrong command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, FloatArray, JointCommand, Observation
from sim_bridge.mock.rotor import Rotor

INERTIA_KG_M2, DAMPING_N_M_S = 1e-2, 1e-2  # of a joint that is commanded by effort
BASE = BaseState((0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class IdealSettings:
    """Settings of the backend: none."""


class IdealBackend:
    """A simulation without physics. The base stands still and every foot sticks."""

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "ideal"

    def __init__(self, spec: RobotSpec, _settings: IdealSettings, dt: float) -> None:
        self._spec = spec
        self._dt = dt
        self._ticks = 0

    def open(self) -> None:
        """Place every joint at its home."""
        self._position: FloatArray = np.array([joint.home for joint in self._spec.joints])
        self._velocity = np.zeros(len(self._position))
        self.relax()

    def observe(self) -> Observation:
        """Return the present state."""
        contacts = tuple(
            Contact(foot, ContactMode.STICK, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
            for foot in self._spec.foot_names
        )
        unknown = np.full(len(self._position), np.nan)
        time_ns = round(self._ticks * self._dt * 1e9)
        return Observation(time_ns, self._position.copy(), self._velocity.copy(), unknown, BASE, contacts)

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints."""
        self._goal, self._effort = command.position.copy(), np.nan_to_num(command.effort)
        return command

    def advance(self, dt: float) -> None:
        """Move the joints to their setpoints; those commanded by effort are rotors."""
        self._ticks += 1
        for k, (i, joint) in enumerate(zip(self._spec.actuated_indices, self._spec.actuated, strict=True)):
            if joint.is_effort_driven:
                rotor = Rotor(INERTIA_KG_M2, DAMPING_N_M_S, self._position[i], self._velocity[i])
                rotor = rotor.after(dt, self._effort[k])
                self._position[i], self._velocity[i] = rotor.angle, rotor.speed
            else:
                self._velocity[i] = (self._goal[k] - self._position[i]) / dt
                self._position[i] = self._goal[k]

    def relax(self) -> None:
        """Hold the present position, without effort."""
        self._goal = self._position[self._spec.actuated_indices]
        self._effort = np.zeros(len(self._goal))

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
