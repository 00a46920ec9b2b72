"""The robot's equations as the ground under pretended motors."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, FloatArray
from crawler_models.plant import PlantFault
from crawler_models.standing_plant import StandingPlant

MIN_STEP_S = 1e-4  # s between two looks for which the equations are advanced


class EmulatedGround:
    """Moves the base with the motors' true angles, as time passes by itself."""

    def __init__(self, spec: RobotSpec, clock: Callable[[], float] = time.monotonic) -> None:
        """The robot stands at home. Raises UserError where it has no equations, or cannot stand so."""
        self._plant = StandingPlant(spec)
        self._clock = clock
        self._at = clock()

    def move(self, angles: FloatArray, rates: FloatArray) -> tuple[BaseState, tuple[Contact, ...]]:
        """The actuated joints have come to `angles` (rad) at `rates` (rad/s) since the last call."""
        now = self._clock()
        dt = now - self._at
        if dt > MIN_STEP_S:
            self._at = now
            try:
                self._plant.advance(angles, rates, np.full_like(angles, np.nan), dt)
            except (PlantFault, ValueError):  # motors cannot be stopped by equations that end
                with suppress(ValueError):  # it cannot stand at these angles: it stays as it was until it can
                    self._plant.stand(angles)
        return self._plant.base(), self._plant.contacts()
