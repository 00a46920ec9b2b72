"""The model backend: the equations of the robot's paper in place of a physics engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.robot import RobotSpec
from crawler_core.types import BaseState, JointCommand, Observation
from crawler_models.catalogue import make_plant
from crawler_models.plant import Plant, PlantFault


@dataclass(frozen=True)
class ModelSettings:
    """Nothing to set: the equations take every number from the robot file."""


class ModelBackend:
    """A robot that moves by its equations.

    Their joints follow the setpoints exactly and cannot go limp, so `relax` stops the robot dead where it is and it
    stands there until the next `apply`; the same ends a run that left the equations' range.
    """

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "model"

    def __init__(self, spec: RobotSpec, settings: ModelSettings, dt: float) -> None:
        """`dt` is not needed: the equations are advanced from event to event."""
        self._spec = spec
        self._unknown = np.full(len(spec.actuated), np.nan)
        self._plant: Plant | None = None

    def open(self) -> None:
        """Stand at home. Raises UserError where there are no equations for this robot, or its home does not stand."""
        self._plant = plant = make_plant(self._spec)
        self._order = [plant.joint_names.index(name) for name in self._spec.joint_names]
        self._time_ns = 0
        self._origin = 0.0  # m, world x of the plant's origin, which follows the robot at each standstill
        self._halted = False
        self._hold()

    def observe(self) -> Observation:
        """The state at the end of the last tick."""
        plant = self._opened()
        position, velocity, effort = (row[self._order] for row in plant.joints())
        base = plant.base()
        x, y, z = base.position
        return Observation(
            time_ns=self._time_ns,
            position=position,
            velocity=velocity,
            effort=effort,
            base=BaseState((x + self._origin, y, z), base.quaternion, base.linear, base.angular),
            contacts=plant.contacts(),
        )

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints for the end of the next tick. The equations compute the effort, so none can be given."""
        self._halted = False
        self._goal = JointCommand(command.position.copy(), command.velocity.copy(), self._unknown)
        return JointCommand(command.position, command.velocity, self._unknown)

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass. Raises BackendFault where the equations end, as when a foot would leave the ground."""
        plant = self._opened()
        if not self._halted:
            try:
                plant.advance(self._goal.position, self._goal.velocity, self._goal.effort, dt)
            except PlantFault as fault:
                raise BackendFault(
                    str(fault), remedy="choose a slower or flatter gait, or the pybullet backend"
                ) from None
            except ValueError as error:
                raise BackendFault(str(error), remedy="check what sends the joint commands") from None
            self._goal = JointCommand(self._goal.position, np.zeros_like(self._goal.velocity), self._unknown)
        self._time_ns += round(dt * 1e9)

    def relax(self) -> None:
        """Stop dead: equations that prescribe the joints cannot let them go limp."""
        if self._plant is None:
            return
        self._halted = True
        x = self._plant.base().position[0]
        try:
            self._plant.reset(self._hold())
        except ValueError as error:
            raise BackendFault(str(error), remedy="restart the backend") from None
        self._origin += x - self._plant.base().position[0]

    def close(self) -> None:
        """Forget the robot."""
        self._plant = None

    def _hold(self) -> list[float]:
        """Make the present joint angles the setpoints; returns those of the actuated joints."""
        plant = self._opened()
        position = plant.joints()[0]
        actuated = [float(position[plant.joint_names.index(name)]) for name in plant.actuated]
        self._goal = JointCommand(np.array(actuated), np.zeros(len(actuated)), self._unknown)
        return actuated

    def _opened(self) -> Plant:
        if self._plant is None:
            raise BackendFault("the model backend is not open", remedy="configure it first")
        return self._plant
