"""The classical gaits of four feet, and the one nearest to a footfall.

The feet are in the order front left, front right, hind left, hind right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

Phases = tuple[float, float, float, float]

# The fraction of a cycle by which each foot is ahead: a foot ahead by 0.25 is down a quarter of a cycle earlier.
# Alexander (1984), Collins and Stewart (1993); a gallop may have either front foot first.
CLASSICAL: Mapping[str, tuple[Phases, ...]] = {
    "walk": ((0.75, 0.25, 0.0, 0.5),),  # one after the other: hl, fl, hr, fr
    "diagonal-sequence walk": ((0.25, 0.75, 0.0, 0.5),),  # hl, fr, hr, fl
    "trot": ((0.0, 0.5, 0.5, 0.0),),  # the diagonal pairs in turn
    "pace": ((0.0, 0.5, 0.0, 0.5),),  # the sides in turn
    "bound": ((0.0, 0.0, 0.5, 0.5),),  # front and hind pair in turn
    "pronk": ((0.0, 0.0, 0.0, 0.0),),  # all at once
    "transverse gallop": ((0.0, 0.9, 0.5, 0.4), (0.9, 0.0, 0.4, 0.5)),  # the same side first in front and behind
    "rotary gallop": ((0.0, 0.9, 0.4, 0.5), (0.9, 0.0, 0.5, 0.4)),  # one side in front, the other behind
}
DISTANCE_RESOLUTION = 1e-9  # of a cycle: distances that differ by less are the same


@dataclass(frozen=True)
class NearestGait:
    """The nearest classical gait."""

    name: str
    distance: float  # rms difference of the feet's phases, as a fraction of a cycle
    grounded: bool  # the feet are down for half of the time or more, so no flight phase is needed

    def __str__(self) -> str:
        if self.name.endswith("walk"):
            return self.name if self.grounded else f"running {self.name}"
        return f"walking {self.name}" if self.grounded else self.name


def nearest_gait(phases: Sequence[float], duty: ArrayLike) -> NearestGait | None:
    """Return the nearest gait by phases of mid-stance (fractions of a cycle that a foot is ahead) and duty.

    None without four feet, or where a foot has no phase (NaN) since it is always down, or never.
    """
    if len(phases) != 4 or not np.isfinite(phases).all():
        return None
    distances = {name: min(_apart(phases, own) for own in variants) for name, variants in CLASSICAL.items()}
    name = min(distances, key=lambda known: round(distances[known] / DISTANCE_RESOLUTION))
    return NearestGait(name, distances[name], grounded=bool(np.mean(np.asarray(duty)) >= 0.5))


def _apart(phases: Sequence[float], own: Phases) -> float:
    """Return the root mean square of the differences on the circle, after the common shift that minimises it."""
    apart = np.sort((np.asarray(phases) - own) % 1.0)
    # the best shift is the mean of the differences, cut open at one of the gaps between them
    return min(float(np.std(apart + (np.arange(len(apart)) < k))) for k in range(len(apart)))
