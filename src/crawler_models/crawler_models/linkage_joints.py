"""Joint of two bars, the element of every closed-form linkage. Points are complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def right_of(start: Any, from_start: Any, end: Any, from_end: Any) -> Any:
    """The point at both distances (m) from two others, to the right of the way from start to end; NaN without one."""
    way = end - start
    with np.errstate(divide="ignore", invalid="ignore"):
        along = 0.5 * (1.0 + (from_start**2 - from_end**2) / np.abs(way) ** 2)
        aside = np.sqrt((from_start / np.abs(way)) ** 2 - along**2)
        return start + way * (along - 1j * aside)
