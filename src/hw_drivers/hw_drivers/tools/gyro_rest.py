"""The bias of a gyroscope, from its readings at rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawler_core.types import ImuReading, Vector

MIN_READINGS = 20
MAX_REST_DEVIATION_RAD_S = 0.02  # of the rates, and
MAX_REST_FORCE_DEVIATION_M_S2 = 0.5  # of the specific force: beyond, the robot is being moved


def rest_bias(readings: Sequence[ImuReading]) -> Vector | None:
    """Return the mean rates (rad/s); None where the robot moved, or the readings are too few."""
    if len(readings) < MIN_READINGS:
        return None
    rates = np.array([reading.angular for reading in readings])
    forces = np.array([reading.linear for reading in readings])
    if rates.std(axis=0).max() > MAX_REST_DEVIATION_RAD_S or forces.std(axis=0).max() > MAX_REST_FORCE_DEVIATION_M_S2:
        return None
    x, y, z = rates.mean(axis=0).tolist()
    return x, y, z
