"""The neighbourhood of one good point in which the optimiser looks closely."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

WIDEST, NARROWEST = 0.8, 0.06  # of the ranges
MATTERS = 1e-3  # an improvement by less than this share of the values' spread is none
PATIENCE = 2  # failures until it shrinks


@dataclass(frozen=True)
class TrustRegion:
    """A box around evaluation number `centre`: wider while looking there pays, narrower while it does not."""

    centre: int
    size: float = 0.4
    failures: int = 0

    @property
    def exhausted(self) -> bool:
        """Whether there is nothing left to be found."""
        return self.size < NARROWEST

    def after(self, number: int, value: float, best: float, spread: float) -> TrustRegion:
        """The region after evaluation `number` inside it came to `value`, where `best` was what its centre came to.

        `spread` is that of all values, by which an improvement is measured.
        """
        better = not math.isnan(value) and value > best
        centre = number if better else self.centre
        if better and value > best + MATTERS * spread:
            return TrustRegion(centre, min(WIDEST, self.size * 1.5))
        if self.failures + 1 < PATIENCE:
            return replace(self, centre=centre, failures=self.failures + 1)
        return TrustRegion(centre, self.size / 2.0)
