"""The equations of a robot as the load of its emulated motors, which are driven by effort."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact
from crawler_models.interface.plant import PlantFault
from crawler_models.standing_plant import StandingPlant
from hw_drivers.emulation.emulator import Load

MAX_LEAD_S = 1e-9  # of one motor's time over that of the equations


class ModelLoad:
    """Turns the motors as the equations say under the motors' efforts: a joint's angle is the plant's.

    The robot is held where it starts until a motor pushes for the first time. Then it starts, with its speed. Time is
    the motors': the first motor that gets to a new time advances the equations, with the last efforts of the others.
    Where the equations end, as for a robot that falls, it lies still until `recover`.
    """

    def __init__(self, spec: RobotSpec) -> None:
        """Raises UserError where the robot has no equations, or cannot begin so."""
        self._spec = spec
        self._plant = StandingPlant(spec)
        self._lock = threading.Lock()
        self._unknown = np.full(len(spec.actuated), np.nan)
        self._efforts = np.zeros(len(spec.actuated))  # N·m
        self._motor_times = np.zeros(len(spec.actuated))  # s
        self._time = 0.0  # s, of the equations
        self._is_held = True
        self._fall: BackendFault | None = None
        self._fall_was_raised = False
        self.times_left = 0  # how often it has fallen
        self._read_joints()
        # the first use loads compiled code, which takes longer than a motor may wait
        with suppress(PlantFault, ValueError):
            StandingPlant(spec).advance(self._unknown, self._unknown, self._efforts, MAX_LEAD_S)

    def load(self, joint: str) -> Load:
        """Return the load of one joint's motor."""
        index = self._spec.actuated_names.index(joint)
        return _JointLoad(self, index, self._spec.actuated[index].damping)

    def push(self, index: int, effort: float, seconds: float) -> tuple[float, float]:
        """Apply an effort (N·m) to an actuated joint for `seconds`; return its angle (rad) and rate (rad/s) then."""
        with self._lock:
            self._efforts[index] = effort
            self._motor_times[index] += seconds
            self._is_held = self._is_held and effort == 0.0
            lead = self._motor_times[index] - self._time
            if lead > MAX_LEAD_S:
                self._time = self._motor_times[index]
                if not self._is_held and self._fall is None:
                    self._advance(lead)
            return self._angles[index], 0.0 if self._fall or self._is_held else self._rates[index]

    def observe(self) -> tuple[BaseState, tuple[Contact, ...]]:
        """Return the base and the feet. Raises BackendFault, once, where the robot has fallen."""
        with self._lock:
            if self._fall is not None and not self._fall_was_raised:
                self._fall_was_raised = True
                raise self._fall
            return self._plant.base(), self._plant.contacts()

    def recover(self) -> None:
        """Stand a fallen robot up where it lies, held as at its start. Raises BackendFault."""
        with self._lock:
            if self._fall is None:
                return
            try:
                self._plant.stand()
            except ValueError as error:
                raise BackendFault(str(error), remedy="restart the backend") from None
            self._fall, self._fall_was_raised, self._is_held = None, False, True
            self._read_joints()

    def _advance(self, seconds: float) -> None:
        try:
            self._plant.advance(self._unknown, self._unknown, self._efforts, seconds)
        except (PlantFault, ValueError) as error:
            remedy = error.remedy if isinstance(error, PlantFault) else "restart the backend"
            self.times_left += 1
            self._fall = BackendFault(f"The emulated robot cannot go on: {error}", remedy=remedy)
        self._read_joints()

    def _read_joints(self) -> None:
        angles, rates, _ = self._plant.joints()
        actuated = self._spec.actuated_indices
        self._angles, self._rates = angles[actuated].tolist(), rates[actuated].tolist()


@dataclass(frozen=True)
class _JointLoad:
    model: ModelLoad
    index: int
    damping: float

    def push(self, effort: float, seconds: float) -> tuple[float, float]:
        return self.model.push(self.index, effort, seconds)
