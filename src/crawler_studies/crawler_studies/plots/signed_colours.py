"""Colours of maps whose sign matters: white is zero, where the crawl turns round; red goes forth and blue back."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import Norm, Normalize, TwoSlopeNorm
from matplotlib.ticker import MaxNLocator

from crawler_core.types import FloatArray

DIVERGING = "RdBu_r"
FAINT = 0.02  # of the largest value: the least range of the other sign's colours


def colours(values: FloatArray) -> tuple[str, Normalize]:
    """The colour map and its scale; each sign has a scale of its own."""
    if not np.isfinite(values).any():
        return "viridis", Normalize(0.0, 1.0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low < 0.0 < high:
        return DIVERGING, about_zero(low, high)
    return "viridis", Normalize(low, high if high > low else low + 1.0)


def about_zero(low: float, high: float) -> TwoSlopeNorm:
    """The scale of a diverging map of values from `low` to `high`, which may be of one sign."""
    faint = FAINT * max(-low, high)
    return TwoSlopeNorm(0.0, min(low, -faint), max(high, faint))


def ticks(norm: Norm) -> FloatArray | None:
    """Round values on both sides of zero, each on its own scale; None for the usual ones."""
    if not isinstance(norm, TwoSlopeNorm):
        return None
    low, high = float(norm.vmin or 0.0), float(norm.vmax or 0.0)
    below, above = (np.asarray(MaxNLocator(5).tick_values(*span)) for span in ((low, 0.0), (0.0, high)))
    round_ones = np.unique(np.concatenate([below[below <= 0.0], above[above >= 0.0]]))
    return np.asarray(round_ones[(round_ones >= low) & (round_ones <= high)])
