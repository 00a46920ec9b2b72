"""Colours of maps with a sign: white is zero, where the crawl reverses; red goes forth and blue back."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import Norm, Normalize, TwoSlopeNorm
from matplotlib.ticker import MaxNLocator

from crawler_core.types import FloatArray

DIVERGING = "RdBu_r"
MIN_SHARE = 0.02  # of the largest value: the least range of the other sign's colours


def signed_scale(values: FloatArray) -> tuple[str, Normalize]:
    """Return the colour map and its scale; each sign has its own scale."""
    if not np.isfinite(values).any():
        return "viridis", Normalize(0.0, 1.0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low < 0.0 < high:
        return DIVERGING, diverging_scale(low, high)
    return "viridis", Normalize(low, high if high > low else low + 1.0)


def diverging_scale(low: float, high: float) -> TwoSlopeNorm:
    """Return the scale of a diverging map of values from `low` to `high`, which may be of one sign."""
    least = MIN_SHARE * max(-low, high)
    return TwoSlopeNorm(0.0, min(low, -least), max(high, least))


def signed_ticks(norm: Norm) -> FloatArray | None:
    """Return round values on both sides of zero, each on its own scale; None for matplotlib's own."""
    if not isinstance(norm, TwoSlopeNorm):
        return None
    low, high = float(norm.vmin or 0.0), float(norm.vmax or 0.0)
    below, above = (np.asarray(MaxNLocator(5).tick_values(*span)) for span in ((low, 0.0), (0.0, high)))
    round_ones = np.unique(np.concatenate([below[below <= 0.0], above[above >= 0.0]]))
    return np.asarray(round_ones[(round_ones >= low) & (round_ones <= high)])
