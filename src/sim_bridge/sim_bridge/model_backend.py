"""The model backend: the equations of the robot's paper in place of a physics engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import JointCommand, Observation
from crawler_models.models import model_of
from crawler_models.plant import PlantFault
from crawler_models.standing_plant import StandingPlant


@dataclass(frozen=True)
class ModelSettings:
    """Nothing to set: the equations take every number from the robot file."""


class ModelBackend:
    """A robot that moves by its equations.

    Joints driven by position follow their setpoints exactly and cannot go limp, so for a robot that has any, `relax`
    stops it dead where it is, and it stands there until the next `apply`. Where every motor is driven by effort,
    `relax` leaves them without, and the robot goes on as it must. After a run that left the equations' range `relax`
    begins again in the same place.
    """

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "model"

    def __init__(self, spec: RobotSpec, settings: ModelSettings, dt: float) -> None:
        """`dt` is not needed: the equations are advanced from event to event."""
        self._spec = spec
        self._without = np.array([0.0 if joint.is_effort_driven else np.nan for joint in spec.actuated])
        self._plant: StandingPlant | None = None

    def open(self) -> None:
        """Begin at home. Raises UserError where there are no equations for this robot, or it cannot begin so."""
        self._plant = StandingPlant(self._spec)
        self._time_ns = 0
        self._halted = False
        self._ended = False
        self._hold()

    def observe(self) -> Observation:
        """The state at the end of the last tick."""
        plant = self._opened()
        position, velocity, effort = plant.joints()
        return Observation(
            time_ns=self._time_ns,
            position=position,
            velocity=velocity,
            effort=effort,
            base=plant.base(),
            contacts=plant.contacts(),
        )

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints for the end of the next tick, and efforts for the whole of it.

        Of joints driven by position the equations compute the effort, so none can be given.
        """
        self._halted = False
        effort = np.where(np.isnan(self._without) | np.isnan(command.effort), self._without, command.effort)
        self._goal = JointCommand(command.position.copy(), command.velocity.copy(), effort)
        return JointCommand(command.position, command.velocity, effort.copy())

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass. Raises BackendFault where the equations end, as when a foot would leave the ground."""
        plant = self._opened()
        if not self._halted:
            try:
                plant.advance(self._goal.position, self._goal.velocity, self._goal.effort, dt)
            except PlantFault as fault:
                self._ended = True
                raise BackendFault(str(fault), remedy=fault.remedy) from None
            except ValueError as error:
                raise BackendFault(str(error), remedy="check what sends the joint commands") from None
            self._goal = JointCommand(self._goal.position, np.zeros_like(self._goal.velocity), self._without)
        self._time_ns += round(dt * 1e9)

    def relax(self) -> None:
        """Motors driven by effort give none; a robot whose equations prescribe any joint's angle stops dead."""
        if self._plant is None:
            return
        self._hold()
        if not (self._ended or np.isnan(self._without).any()):
            return
        self._halted = True
        try:
            self._plant.stand()
        except ValueError as error:
            raise BackendFault(str(error), remedy="restart the backend") from None
        self._ended = False

    def close(self) -> None:
        """Forget the robot."""
        self._plant = None

    def _hold(self) -> None:
        """Make the present joint angles the setpoints."""
        position = self._opened().joints()[0][self._spec.actuated_indices]
        self._goal = JointCommand(position, np.zeros_like(position), self._without)

    def _opened(self) -> StandingPlant:
        if self._plant is None:
            raise BackendFault("the model backend is not open", remedy="configure it first")
        return self._plant


def _check(spec: RobotSpec, _settings: ModelSettings) -> None:
    if model_of(spec).plant is None:
        raise UserError(f"the backend model moves a robot by its equations, and '{spec.name}' has none: use another.")


ENTRY = BackendEntry("sim_bridge", "model_backend", ModelBackend, ModelSettings, _check)
