"""Shape of a periodic motion: Fourier coefficients of the joints over the phase omega t, for any omega."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler_core.types import FloatArray


@dataclass(frozen=True)
class Shape:
    """phi_j = mean_j + sum over k = 1.. of cos_jk cos(k omega t) + sin_jk sin(k omega t)."""

    joints: tuple[str, ...]
    mean: FloatArray  # rad, one per joint
    cos: FloatArray  # rad, one row per joint and one column per harmonic
    sin: FloatArray  # rad, the same

    @property
    def harmonics(self) -> int:
        return int(self.cos.shape[1])

    def leading(self, lag: float) -> Shape:
        """Return the shape that a first-order servo of time constant tau turns into this one; `lag` is omega tau.

        The servo obeys tau q' + q = reference. So the reference is q + tau q', which multiplies the k-th coefficient by
        1 + i k omega tau.
        """
        lead = lag * np.arange(1, self.harmonics + 1)
        return Shape(self.joints, self.mean, self.cos + lead * self.sin, self.sin - lead * self.cos)

    def shifted(self, phase: float) -> Shape:
        """Return the same motion, started `phase` (rad) later in its cycle."""
        turn = phase * np.arange(1, self.harmonics + 1)
        c, s = np.cos(turn), np.sin(turn)
        return Shape(self.joints, self.mean, c * self.cos + s * self.sin, c * self.sin - s * self.cos)
