"""The equations of a robot whose emulated motors are driven by position."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, FloatArray
from crawler_models.interface.plant import PlantFault
from crawler_models.standing_plant import StandingPlant

MIN_STEP_S = 1e-4  # shorter steps wait for the next call


class EmulatedGround:
    """Moves the base with the motors' true angles, in real time."""

    def __init__(self, spec: RobotSpec, clock: Callable[[], float] = time.monotonic) -> None:
        """Stand the robot at home. Raises UserError where it has no equations, or cannot stand so."""
        self._plant = StandingPlant(spec)
        self._clock = clock
        self._time = clock()

    def move(self, angles: FloatArray, rates: FloatArray) -> tuple[BaseState, tuple[Contact, ...]]:
        """Move the actuated joints to `angles` (rad) at `rates` (rad/s); return the base and the feet."""
        now = self._clock()
        dt = now - self._time
        if dt > MIN_STEP_S:
            self._time = now
            try:
                self._plant.advance(angles, rates, np.full_like(angles, np.nan), dt)
            except (PlantFault, ValueError):  # equations that end cannot stop motors
                with suppress(ValueError):  # it cannot stand at these angles: it stays as it was until it can
                    self._plant.stand(angles)
        return self._plant.base(), self._plant.contacts()
