"""Blend of one motion into another, without a jump in position, velocity or acceleration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Motion, Sample, ease


@dataclass(frozen=True)
class Blend:
    """`old` until `start`, `new` from `start + duration` on, and a weighted mean of both in between."""

    old: Motion
    new: Motion
    start: float  # s
    duration: float  # s

    @property
    def end(self) -> float:
        """Return the time (s) from which on the motion is `new`."""
        return self.start + self.duration

    def sample(self, t: Any) -> Sample:
        q0, dq0, ddq0 = self.old.sample(t)
        q1, dq1, ddq1 = self.new.sample(t)
        s = np.clip((np.asarray(t, dtype=float) - self.start) / self.duration, 0.0, 1.0)[..., np.newaxis]
        w, slope, curvature = ease(s)
        dw, ddw = slope / self.duration, curvature / self.duration**2
        # at both ends exactly one motion, so that rounding leaves no trace of the other
        return Sample(
            np.where(s < 1.0, q0 + w * (q1 - q0), q1),
            np.where(s < 1.0, dq0 + w * (dq1 - dq0) + dw * (q1 - q0), dq1),
            np.where(s < 1.0, ddq0 + w * (ddq1 - ddq0) + 2.0 * dw * (dq1 - dq0) + ddw * (q1 - q0), ddq1),
        )
