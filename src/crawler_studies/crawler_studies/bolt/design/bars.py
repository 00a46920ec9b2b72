"""The ten dimensions of the mechanism, of one or of many, and the space that is searched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from crawler_models.bolt.equations.leg import PARAMETER_OF_SYMBOL
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.design.designer import Range


class Bars(NamedTuple):
    """Lengths (m) and theta (rad) by the paper's symbols, as numbers or as columns."""

    l_c: Any
    theta: Any
    l_1: Any
    l_2: Any
    l_3: Any
    l_4: Any
    l_5: Any
    l_s: Any
    l_f: Any
    l_t: Any

    @staticmethod
    def of(parameters: Mapping[str, float]) -> Bars:
        """Return the bars in the robot file's parameters."""
        values = {symbol: float(parameters[PARAMETER_OF_SYMBOL[symbol]]) for symbol in Bars._fields}
        return Bars(**{**values, "theta": math.radians(values["theta"])})

    def rounded(self) -> dict[str, float]:
        """Return the robot file's parameters to 0.01 mm and 0.01 degrees, as a workshop can make them."""
        values = {PARAMETER_OF_SYMBOL[symbol]: round(float(value), 5) for symbol, value in self._asdict().items()}
        return {**values, PARAMETER_OF_SYMBOL["theta"]: round(math.degrees(self.theta), 2)}


# Table 1; those of l_1 to l_5 and theta are ours: half to 1.5 times Table 2, a quarter turn
RANGES: Mapping[str, Range] = {
    "l_c": (0.075, 0.12),
    "theta": (0.0, 90.0),  # degrees
    "l_1": (0.010, 0.030),
    "l_2": (0.0525, 0.1575),
    "l_3": (0.095, 0.285),
    "l_4": (0.105, 0.315),
    "l_5": (0.1515, 0.4545),
    "l_s": (0.039, 0.056),
    "l_f": (0.073, 0.098),
    "l_t": (0.044, 0.067),
}


@dataclass(frozen=True)
class MechanismSpace:
    """All mechanisms within (5) to (9), as points of the unit cube."""

    low: FloatArray  # m and rad, by Bars; of l_4 only where some l_5 keeps (5)
    high: FloatArray
    leg: Range  # m, of l_4 + l_5

    @staticmethod
    def of(ranges: Mapping[str, Range], goal: MechanismGoal) -> MechanismSpace:
        """Return the space of ranges by the paper's symbols, theta in degrees. Raises UserError for an empty one."""
        least, most = goal.leg_least, goal.leg_most
        if least > most:
            raise UserError(f"leg_least = {least:g} m is above leg_most = {most:g} m: give a leg_least that is not.")
        (low_4, high_4), (low_5, high_5) = ranges["l_4"], ranges["l_5"]
        femur = max(low_4, least - high_5), min(high_4, most - low_5)
        if femur[0] > femur[1]:
            raise UserError(
                f"femur and tibia of these ranges are {low_4 + low_5:g} to {high_4 + high_5:g} m long together, and "
                f"the goal allows {least:g} to {most:g} m: change the ranges, or leg_least and leg_most."
            )
        use = {**ranges, "l_4": femur, "theta": tuple(math.radians(end) for end in ranges["theta"])}
        low, high = (np.array([use[symbol][end] for symbol in Bars._fields]) for end in (0, 1))
        return MechanismSpace(low, high, (least, most))

    def bars(self, points: FloatArray) -> Bars:
        """Return the mechanisms at points (10, n) of the unit cube, as columns (n, 1)."""
        low, high = (np.repeat(end[:, None], points.shape[1], axis=1) for end in (self.low, self.high))
        i, j = Bars._fields.index("l_4"), Bars._fields.index("l_5")
        femur = low[i] + points[i] * (high[i] - low[i])
        low[j], high[j] = np.maximum(low[j], self.leg[0] - femur), np.minimum(high[j], self.leg[1] - femur)
        values = low + points * (high - low)
        return Bars(*values[:, :, None])
