"""The model backend: the equations of the robot's paper instead of a physics engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import JointCommand, Observation
from crawler_models.interface.plant import PlantFault
from crawler_models.model_registry import model_of
from crawler_models.standing_plant import StandingPlant


@dataclass(frozen=True)
class ModelSettings:
    """No settings: the equations take every number from the robot file."""


class ModelBackend:
    """Moves a robot by its equations.

    Position-driven joints follow their setpoints exactly and cannot be without torque. `relax` stops a robot that has
    any at once, and it stands until the next `apply`. Where every motor is effort-driven, `relax` sets the efforts to
    0, and the robot moves on by itself. After a run that left the range of the equations it starts again in the same
    place.
    """

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "model"

    def __init__(self, spec: RobotSpec, settings: ModelSettings, dt: float) -> None:
        """`dt` is not used: the equations are advanced from event to event."""
        self._spec = spec
        self._no_effort = np.array([0.0 if joint.is_effort_driven else np.nan for joint in spec.actuated])
        self._takes_effort = not np.isnan(self._no_effort).all()
        self._at_rest = np.zeros(len(spec.actuated))
        self._plant: StandingPlant | None = None

    def open(self) -> None:
        """Start at home. Raises UserError where the robot has no equations, or where its start is impossible."""
        self._plant = StandingPlant(self._spec)
        self._time_ns = 0
        self._stopped = False
        self._left_range = False
        self._hold()

    def observe(self) -> Observation:
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

        The equations compute the effort of position-driven joints, so these take none.
        """
        self._stopped = False
        effort = self._no_effort
        if self._takes_effort:
            effort = np.where(np.isnan(effort) | np.isnan(command.effort), effort, command.effort)
        self._goal = JointCommand(command.position.copy(), command.velocity.copy(), effort)
        return JointCommand(command.position, command.velocity, effort.copy())

    def advance(self, dt: float) -> None:
        """Advance by `dt` s. Raises BackendFault where the equations do not hold any more, as when a foot lifts."""
        plant = self._opened()
        if not self._stopped:
            try:
                plant.advance(self._goal.position, self._goal.velocity, self._goal.effort, dt)
            except PlantFault as fault:
                self._left_range = True
                raise BackendFault(str(fault), remedy=fault.remedy) from None
            except ValueError as error:
                raise BackendFault(str(error), remedy="check what sends the joint commands") from None
            self._goal = JointCommand(self._goal.position, self._at_rest, self._no_effort)
        self._time_ns += round(dt * 1e9)

    def relax(self) -> None:
        """Set efforts to 0. A robot with position-driven joints stops at once."""
        if self._plant is None:
            return
        self._hold()
        if not (self._left_range or np.isnan(self._no_effort).any()):
            return
        self._stopped = True
        try:
            self._plant.stand()
        except ValueError as error:
            raise BackendFault(str(error), remedy="restart the backend") from None
        self._left_range = False

    def close(self) -> None:
        self._plant = None

    def _hold(self) -> None:
        position = self._opened().joints()[0][self._spec.actuated_indices]
        self._goal = JointCommand(position, self._at_rest, self._no_effort)

    def _opened(self) -> StandingPlant:
        if self._plant is None:
            raise BackendFault("the model backend is not open", remedy="configure it first")
        return self._plant


def _check(spec: RobotSpec, _settings: ModelSettings) -> None:
    if model_of(spec).plant is None:
        raise UserError(
            f"the backend 'model' needs the robot's equations, and '{spec.name}' has none: use another backend."
        )


BACKEND_ENTRY = BackendEntry("sim_bridge", "model_backend", ModelBackend, ModelSettings, _check)
