"""The table of section 2.2, from the crank's angle to the foot, so that a controller computes no kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.bolt.equations.leg import PARAMETER_OF_SYMBOL, Leg
from crawler_models.bolt.equations.six_bar import Lengths, pins
from crawler_models.bolt.equations.transmission import foot_slope
from crawler_models.bolt.foot_table.c_header import header
from crawler_models.bolt.foot_table.fixed_table import FixedTable
from crawler_models.interface.lookup import Lookup

TURN_RAD = 2.0 * np.pi
ANGLES_BETWEEN_ENTRIES = 16  # angles between two entries at which the error is looked for
TABLE_SIZES = tuple(2**k for k in range(4, 14))  # a power of two, so that an entry's number is the angle's upper bits

BAR_SYMBOLS = ("l_c", "theta", "l_1", "l_2", "l_3", "l_4", "l_5", "l_s", "l_f", "l_t")  # what the foot's way depends on


@dataclass(frozen=True)
class FootTable:
    """Foot and Jacobian at equal steps of the crank's angle from 0, in the body's frame as x + i y; linear between."""

    foot: FloatArray  # m
    slope: FloatArray  # m/rad, df/dq1
    foot_error: float  # m, the farthest that the table is from the linkage
    slope_error: float  # m/rad, largest error of the slope

    @staticmethod
    def of(leg: Lengths, entries: int) -> FootTable:
        """Raises ValueError where the crank cannot turn fully."""
        angles = TURN_RAD * np.arange(entries) / entries
        foot, slope = pins(leg, angles).F, foot_slope(leg, angles)
        if not np.isfinite(foot).all():
            raise ValueError("there is no table of a foot whose crank cannot turn fully.")
        fine = TURN_RAD * np.arange(ANGLES_BETWEEN_ENTRIES * entries) / (ANGLES_BETWEEN_ENTRIES * entries)
        errors = (
            float(np.abs(_between(values, fine) - exact).max())
            for values, exact in ((foot, pins(leg, fine).F), (slope, foot_slope(leg, fine)))
        )
        return FootTable(foot, slope, *errors)

    def foot_at(self, crank: Any) -> Any:
        """The foot (m) at the crank's angle (rad), of any turn."""
        return _between(self.foot, crank)

    def slope_at(self, crank: Any) -> Any:
        """df/dq1 (m/rad) at the crank's angle (rad), of any turn."""
        return _between(self.slope, crank)


def lookup(spec: RobotSpec, entries: int) -> Lookup:
    """Return the table of a robot file, ready to be written. Raises UserError."""
    if entries not in TABLE_SIZES:
        raise UserError(
            f"a table of {entries} entries is not allowed: use a power of two "
            f"from {TABLE_SIZES[0]} to {TABLE_SIZES[-1]}."
        )
    leg = Leg.from_parameters(spec.parameters)
    try:
        table = FootTable.of(leg, entries)
    except ValueError as error:
        raise UserError(f"{spec.name}: {error}") from None
    fixed = FixedTable.of(table.foot, table.slope, leg)
    columns = {
        "crank_deg": 360.0 * np.arange(entries) / entries,
        "x_m": table.foot.real,
        "y_m": table.foot.imag,
        "dx_dq1_m_per_rad": table.slope.real,
        "dy_dq1_m_per_rad": table.slope.imag,
    }
    numbers = {
        "entries": entries,
        "foot_error_m": table.foot_error,
        "slope_error_m_per_rad": table.slope_error,
        "fixed_step_m": fixed.step,
        "fixed_foot_error_m": fixed.foot_error,
        "fixed_slope_error_m_per_rad": fixed.slope_error,
    }
    bars = {
        symbol: (PARAMETER_OF_SYMBOL[symbol], spec.parameters[PARAMETER_OF_SYMBOL[symbol]]) for symbol in BAR_SYMBOLS
    }
    return Lookup(columns, header(spec.name, spec.title, bars, fixed), numbers)


def _between(values: FloatArray, crank: Any) -> Any:
    at = np.mod(np.asarray(crank) / TURN_RAD, 1.0) * len(values)
    low = np.floor(at).astype(int) % len(values)
    share = at - np.floor(at)
    return values[low] + share * (values[(low + 1) % len(values)] - values[low])
