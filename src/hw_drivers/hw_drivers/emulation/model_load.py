"""The robot's equations as the load of pretended motors that are driven by effort."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact
from crawler_models.plant import PlantFault
from crawler_models.standing_plant import StandingPlant
from hw_drivers.emulation.emulator import Load

MAX_LEAD_S = 1e-9  # s by which one motor's time may be ahead of the equations'


class ModelLoad:
    """The motors push, and the equations say how they turn: a joint's angle is the plant's.

    The robot is held where it starts until a motor pushes for the first time: then it starts, with its speed. Time is
    the motors': the first of them that lives through a stretch of it takes the equations along, with what the others
    gave last. Where the equations end, as for a robot that falls, it lies still until it is put on its feet.
    """

    def __init__(self, spec: RobotSpec) -> None:
        """Raises UserError where the robot has no equations, or cannot begin so."""
        self._spec = spec
        self._plant = StandingPlant(spec)
        self._lock = threading.Lock()
        self._unknown = np.full(len(spec.actuated), np.nan)
        self._efforts = np.zeros(len(spec.actuated))
        self._lived = np.zeros(len(spec.actuated))  # s, of each motor
        self._at = 0.0  # s
        self._held = True
        self._fallen: BackendFault | None = None
        self._told = False  # of the fall
        self._see()
        # what is compiled is loaded with its first use, which takes longer than a motor may wait
        with suppress(PlantFault, ValueError):
            StandingPlant(spec).advance(self._unknown, self._unknown, self._efforts, MAX_LEAD_S)

    def load(self, joint: str) -> Load:
        """What the motor of `joint` turns."""
        place = self._spec.actuated_names.index(joint)
        return _Joint(self, place, self._spec.actuated[place].damping)

    def push(self, place: int, effort: float, seconds: float) -> tuple[float, float]:
        """The motor of an actuated joint, by its place, gives an effort (N·m) for so long; angle and rate then."""
        with self._lock:
            self._efforts[place] = effort
            self._lived[place] += seconds
            self._held = self._held and effort == 0.0
            ahead = self._lived[place] - self._at
            if ahead > MAX_LEAD_S:
                self._at = self._lived[place]
                if not self._held and self._fallen is None:
                    self._advance(ahead)
            return self._angles[place], 0.0 if self._fallen or self._held else self._rates[place]

    def look(self) -> tuple[BaseState, tuple[Contact, ...]]:
        """Where the base is, and what the feet do. Raises BackendFault, once, where the robot has fallen."""
        with self._lock:
            if self._fallen is not None and not self._told:
                self._told = True
                raise self._fallen
            return self._plant.base(), self._plant.contacts()

    def recover(self) -> None:
        """Put a robot that has fallen on its feet where it lies; it is held as it starts. Raises BackendFault."""
        with self._lock:
            if self._fallen is None:
                return
            try:
                self._plant.stand()
            except ValueError as error:
                raise BackendFault(str(error), remedy="restart the backend") from None
            self._fallen, self._told, self._held = None, False, True
            self._see()

    def _advance(self, seconds: float) -> None:
        try:
            self._plant.advance(self._unknown, self._unknown, self._efforts, seconds)
        except PlantFault as fault:
            self._fallen = BackendFault(f"The emulated robot cannot go on: {fault}", remedy=fault.remedy)
        except ValueError as error:
            self._fallen = BackendFault(f"The emulated robot cannot go on: {error}", remedy="restart the backend")
        self._see()

    def _see(self) -> None:
        """Where the motors are now, and how fast."""
        angles, rates, _ = self._plant.joints()
        present = self._spec.actuated_indices
        self._angles, self._rates = angles[present].tolist(), rates[present].tolist()


@dataclass(frozen=True)
class _Joint:
    ground: ModelLoad
    place: int
    damping: float

    def push(self, effort: float, seconds: float) -> tuple[float, float]:
        return self.ground.push(self.place, effort, seconds)
