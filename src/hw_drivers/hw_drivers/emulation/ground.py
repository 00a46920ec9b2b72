"""The equations of a robot whose emulated motors are driven by position."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, FloatArray
from crawler_models.interface.plant import PlantFault
from crawler_models.standing_plant import StandingPlant

REST_RATE_RAD_S = 0.05
MIN_STEP_S = 1e-4  # shorter steps wait for the next call


class EmulatedGround:
    """Moves the base with the motors' true angles.

    Where the equations end, as for a foot that would leave the ground, the true motion is unknown from then on: that is
    a fault, and the base stays where it is until `recover`. Motors without torque are moved by hand. Then the robot
    stands as soon as its joints rest where it can, and nothing is wrong.
    """

    def __init__(self, spec: RobotSpec, clock: Callable[[], float] = time.monotonic) -> None:
        """Stand the robot at home. Raises UserError where it has no equations, or cannot stand so."""
        self._plant = StandingPlant(spec)
        self._clock = clock
        self._time = clock()
        self._has_left = False
        self._stands = True  # False where motors without torque were moved to angles at which it cannot stand
        self.times_left = 0  # how often it has left the range of its equations

    def move(self, angles: FloatArray, rates: FloatArray, has_torque: bool) -> tuple[BaseState, tuple[Contact, ...]]:
        """Move the actuated joints to `angles` (rad) at `rates` (rad/s); return the base and the feet.

        Raises BackendFault, once, where the equations do not hold for that.
        """
        now = self._clock()
        dt = now - self._time
        if dt > MIN_STEP_S:
            self._time = now
            if not self._stands and np.abs(rates).max() < REST_RATE_RAD_S:
                self._stand_by_hand(angles)
            elif self._stands and not self._has_left:
                self._advance(angles, rates, dt, has_torque)
        return self._plant.base(), self._plant.contacts()

    def recover(self, angles: FloatArray) -> None:
        """Stand it up where it is, with the actuated joints at `angles` (rad). Raises BackendFault."""
        if not self._has_left:
            return
        try:
            self._plant.stand(angles)
        except ValueError as error:
            remedy = "move the joints to where it can stand, or restart the backend"
            raise BackendFault(f"the emulated robot cannot stand up: {error}".rstrip("."), remedy=remedy) from None
        self._has_left = False

    def _advance(self, angles: FloatArray, rates: FloatArray, dt: float, has_torque: bool) -> None:
        try:
            self._plant.advance(angles, rates, np.full_like(angles, np.nan), dt)
        except (PlantFault, ValueError) as error:
            if not has_torque:
                self._stand_by_hand(angles)
                return
            self._has_left = True
            self.times_left += 1
            often = "" if self.times_left == 1 else f", {self.times_left} times so far"
            remedy = error.remedy if isinstance(error, PlantFault) else "restart the backend"
            raise BackendFault(
                f"the emulated robot has left the range of its equations{often}: {str(error).rstrip('.')}",
                remedy=remedy,
            ) from None

    def _stand_by_hand(self, angles: FloatArray) -> None:
        try:
            self._plant.stand(angles)
            self._stands = True
        except ValueError:
            self._stands = False  # it stays as it was until it can
