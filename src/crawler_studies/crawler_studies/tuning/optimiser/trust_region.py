"""The neighbourhood of one good point in which the optimiser searches closely."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

MAX_SIZE, MIN_SIZE = 0.8, 0.06  # of the ranges
MIN_IMPROVEMENT = 1e-3  # of the values' spread
MAX_FAILURES = 2  # until it shrinks


@dataclass(frozen=True)
class TrustRegion:
    """A box around evaluation number `centre`: it grows with improvements, and shrinks without."""

    centre: int
    size: float = 0.4
    failures: int = 0

    @property
    def exhausted(self) -> bool:
        """True for a region that is too small for a further improvement."""
        return self.size < MIN_SIZE

    def after(self, number: int, value: float, best: float, spread: float) -> TrustRegion:
        """Return the region after evaluation `number` inside it came to `value`; `best` is the value of its centre.

        `spread` is that of all values, for the measure of an improvement.
        """
        better = not math.isnan(value) and value > best
        centre = number if better else self.centre
        if better and value > best + MIN_IMPROVEMENT * spread:
            return TrustRegion(centre, min(MAX_SIZE, self.size * 1.5))
        if self.failures + 1 < MAX_FAILURES:
            return replace(self, centre=centre, failures=self.failures + 1)
        return TrustRegion(centre, self.size / 2.0)
