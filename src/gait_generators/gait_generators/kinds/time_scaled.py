"""The time-scaled gait: the harmonic one at an uneven inner pace."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from crawler_core.motion import Sample
from crawler_core.parameters import parameter
from gait_generators.kinds.gait import LimitHints
from gait_generators.kinds.gait_entry import GaitEntry
from gait_generators.kinds.harmonic import REMEDIES, HarmonicParameters, phases


@dataclass(frozen=True)
class TimeScaledParameters(HarmonicParameters):
    """Those of the harmonic gait, and the scaling of its time."""

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
class TimeScaled:
    """phi_1,2(t) = phi0 + A sin(s(omega t ± psi/2)) with s(xi) = xi + alpha sin(xi + Upsilon)."""

    limit_hints: ClassVar[LimitHints] = replace(REMEDIES, fast=REMEDIES.fast + " or gait.alpha")

    omega: float  # rad/s
    amplitude: float  # rad
    phi0: float  # rad
    psi: float  # rad
    alpha: float
    upsilon: float  # rad

    @staticmethod
    def of(parameters: TimeScaledParameters) -> TimeScaled:
        return TimeScaled(
            omega=parameters.omega,
            amplitude=math.radians(parameters.amplitude),
            phi0=math.radians(parameters.phi0),
            psi=math.radians(parameters.psi),
            alpha=parameters.alpha,
            upsilon=math.radians(parameters.upsilon),
        )

    @property
    def period(self) -> float:
        return 2.0 * math.pi / self.omega

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


GAIT = GaitEntry(TimeScaledParameters, lambda _, parameters: TimeScaled.of(parameters), joints=2, paced=True)
