"""The foot's table in whole numbers of 16 bits, as a microcontroller without a floating-point unit reads it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler_core.types import FloatArray
from crawler_models.bolt.equations.six_bar import Lengths, pins
from crawler_models.bolt.equations.transmission import foot_slope

IntArray = NDArray[np.int64]
ENTRY_BITS = 16  # of an entry, and of the crank's angle: a turn is 2^16
LARGEST_ENTRY = 2 ** (ENTRY_BITS - 1) - 1


@dataclass(frozen=True)
class FixedTable:
    """Rows x, y, dx/dq1, dy/dq1 in steps of 2^-places m and m/rad."""

    rows: IntArray  # (4, entries)
    places: int
    foot_error: float  # m, the farthest from the linkage of all 2^16 angles, rounding included
    slope_error: float  # m/rad, largest error of the slope

    @staticmethod
    def of(foot: FloatArray, slope: FloatArray, leg: Lengths) -> FixedTable:
        """Convert a table whose size is a power of two, in the smallest steps that fit."""
        values = np.stack([foot.real, foot.imag, slope.real, slope.imag])
        places = math.floor(math.log2(LARGEST_ENTRY / np.abs(values).max()))
        rows = np.round(values * 2.0**places).astype(np.int64)
        crank = np.arange(2**ENTRY_BITS)
        x, y, dx, dy = read(rows, crank) * 2.0**-places
        angle = 2.0 * np.pi * crank / 2**ENTRY_BITS
        foot_error = np.abs(x + 1j * y - pins(leg, angle).F).max()
        slope_error = np.abs(dx + 1j * dy - foot_slope(leg, angle)).max()
        return FixedTable(rows, places, float(foot_error), float(slope_error))

    @property
    def step(self) -> float:
        """m and m/rad."""
        return float(2.0**-self.places)

    @property
    def shift(self) -> int:
        """Bits of the crank's angle below an entry's number."""
        return shift_of(self.rows)


def read(rows: IntArray, crank: IntArray) -> IntArray:
    """Compute the C function of the header at crank angles of 0 to 2^16 - 1, in the same whole numbers."""
    shift = shift_of(rows)
    low, part = crank >> shift, crank & ((1 << shift) - 1)
    first, second = rows[:, low], rows[:, (low + 1) % rows.shape[1]]
    return first + (((second - first) * part + (1 << (shift - 1))) >> shift)


def shift_of(rows: IntArray) -> int:
    """Return the shift for a table with this many entries."""
    return ENTRY_BITS - int(math.log2(rows.shape[1]))
