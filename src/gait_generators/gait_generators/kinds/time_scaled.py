"""The time-scaled gait: the harmonic gait at an uneven pace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from crawler_core.motion import Sample
from crawler_core.parameters import parameter, si_values
from gait_generators.kinds.gait import LimitHints
from gait_generators.kinds.gait_entry import GaitEntry
from gait_generators.kinds.harmonic import HARMONIC_HINTS, Harmonic, HarmonicParameters, phases


@dataclass(frozen=True)
class TimeScaledParameters(HarmonicParameters):
    # alpha < 1 keeps ds/dxi > 0: the pace is uneven, but never runs backwards
    alpha: float = parameter(0.0, lower=0.0, upper=0.999, doc="strength of the time scaling; 0: the harmonic gait")
    upsilon: float = parameter(
        0.0,
        unit="deg",
        lower=-360.0,
        upper=360.0,
        periodic=True,
        search_range=(0.0, 360.0),
        doc="phase of the time scaling",
    )


@dataclass(frozen=True)
class TimeScaled(Harmonic):
    """phi_1,2(t) = phi0 + A sin(s(omega t ± psi/2)) with s(xi) = xi + alpha sin(xi + Upsilon)."""

    limit_hints: ClassVar[LimitHints] = replace(HARMONIC_HINTS, fast=HARMONIC_HINTS.fast + " or gait.alpha")

    alpha: float
    upsilon: float  # rad

    def sample(self, t: Any) -> Sample:
        xi = phases(self.omega, self.psi, t)
        s = xi + self.alpha * np.sin(xi + self.upsilon)
        ds = 1.0 + self.alpha * np.cos(xi + self.upsilon)
        dds = -self.alpha * np.sin(xi + self.upsilon)
        sin, cos = np.sin(s), np.cos(s)
        return Sample(
            self.phi0 + self.amplitude * sin,
            self.amplitude * self.omega * cos * ds,
            self.amplitude * self.omega**2 * (cos * dds - sin * ds * ds),
        )

    def joints(self, phase: Sample) -> Sample:
        xi, rate, change = phase
        inner = xi + self.upsilon
        ds = 1.0 + self.alpha * np.cos(inner)
        scaled = Sample(xi + self.alpha * np.sin(inner), ds * rate, ds * change - self.alpha * np.sin(inner) * rate**2)
        return Harmonic.joints(self, scaled)


GAIT_ENTRY = GaitEntry(TimeScaledParameters, lambda _, own: TimeScaled(**si_values(own)), joints=2, paced=True)
