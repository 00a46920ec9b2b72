"""Result of a hybrid simulation: phases of one contact mode each, which can be sampled densely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawler_models.three_link.equations.dynamics import Forces
from crawler_models.three_link.equations.foot_mode import Mode

if TYPE_CHECKING:
    from crawler_models.three_link.simulation.hybrid import ModeTable, SpanTable

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """The feet over time in the paper's axes: m, m/s, N."""

    t: Array
    x1: Array
    x2: Array
    v1: Array
    v2: Array
    forces: Forces
    modes: NDArray[np.int_]  # shaped (..., 2)


@dataclass(frozen=True)
class Phase:
    """One contact mode from ``start`` to ``end``; ``x1`` is foot 1's position at its start."""

    start: float
    end: float
    mode: Mode
    x1: float
    speed: float  # constant of integration: added to the mode's own v1(t)
    fields: ModeTable

    def foot_1(self, t: Array | float) -> tuple[Array, Array]:
        """Position and velocity of foot 1."""
        v1 = self.fields.v1(t) + self.speed
        x1 = self.x1 + self.fields.x1(t) - self.fields.x1(self.start) + self.speed * (np.asarray(t) - self.start)
        return x1, v1

    def end_state(self) -> tuple[float, float]:
        """Position and velocity of foot 1 when the phase ends."""
        x1, v1 = self.foot_1(self.end)
        return float(x1), float(v1)


@dataclass(frozen=True)
class Trajectory:
    """A simulated span."""

    table: SpanTable
    phases: tuple[Phase, ...]
    switches: tuple[tuple[float, Mode], ...]  # (time, mode that begins)
    painleve_margin: float  # smallest over time and over the modes considered at events; see dynamics.painleve_margin
    unique: bool  # exactly one mode was consistent at every event

    @property
    def mode(self) -> Mode:
        """Contact mode at the end."""
        return self.phases[-1].mode

    @property
    def end_state(self) -> tuple[float, float]:
        """Position and velocity of foot 1 at the end."""
        return self.phases[-1].end_state()

    @property
    def min_normal_forces(self) -> tuple[float, float]:
        """Smallest normal force of each foot, N."""
        lowest = [
            (
                phase.fields.forces.f1y.minimum(phase.start, phase.end),
                phase.fields.forces.f2y.minimum(phase.start, phase.end),
            )
            for phase in self.phases
        ]
        return min(f1 for f1, _ in lowest), min(f2 for _, f2 in lowest)

    def sample(self, t: ArrayLike) -> Samples:
        """Everything about the feet at the times ``t`` within the span."""
        t = np.asarray(t, dtype=float)
        starts = np.array([phase.start for phase in self.phases])
        which = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(starts) - 1)
        x1, v1 = np.empty_like(t), np.empty_like(t)
        forces = np.empty((4, *t.shape))
        modes = np.empty((*t.shape, 2), dtype=int)
        for k, phase in enumerate(self.phases):
            here = which == k
            x1[here], v1[here] = phase.foot_1(t[here])
            forces[:, here] = [force(t[here]) for force in phase.fields.forces]
            modes[here] = phase.mode
        d, d1 = self.table.d(t), self.table.d1(t)
        return Samples(t, x1, x1 + d, v1, v1 + d1, Forces(*forces), modes)
