"""The harmonic gait: two joints swing about the same angle, with a phase between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from crawler_core.motion import Sample
from crawler_core.parameters import parameter, si_values
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import LimitHints
from gait_generators.kinds.gait_entry import GaitEntry

HARMONIC_HINTS = LimitHints(
    above="lower gait.amplitude or gait.phi0",
    below="lower gait.amplitude or raise gait.phi0",
    fast="lower gait.omega or gait.amplitude",
    ground="lower gait.omega or gait.amplitude, or choose another gait.phi0",
)


@dataclass(frozen=True)
class HarmonicParameters:
    omega: float = parameter(1.3, unit="rad/s", lower=0.05, upper=40.0, doc="angular frequency of the joints")
    amplitude: float = parameter(18.0, unit="deg", lower=0.0, upper=90.0, doc="amplitude A of both joints")
    phi0: float = parameter(110.0, unit="deg", lower=0.0, upper=180.0, doc="nominal angle of both joints")
    psi: float = parameter(  # a negative one reverses the direction
        20.0,
        unit="deg",
        lower=-360.0,
        upper=360.0,
        periodic=True,
        search_range=(0.0, 180.0),
        doc="phase by which joint 1 leads joint 2",
    )


@dataclass(frozen=True)
class Harmonic:
    """phi_1,2(t) = phi0 + A sin(omega t ± psi/2)."""

    limit_hints: ClassVar[LimitHints] = HARMONIC_HINTS

    omega: float  # rad/s
    amplitude: float  # rad
    phi0: float  # rad
    psi: float  # rad

    @property
    def period(self) -> float:
        return 2.0 * math.pi / self.omega

    @property
    def start(self) -> FloatArray:
        return np.array([0.5 * self.psi, -0.5 * self.psi])

    @property
    def rate(self) -> FloatArray:
        return np.full(2, self.omega)

    def sample(self, t: Any) -> Sample:
        xi = phases(self.omega, self.psi, t)
        swing = self.amplitude * np.sin(xi)
        return Sample(
            self.phi0 + swing,
            self.amplitude * self.omega * np.cos(xi),
            -(self.omega**2) * swing,
        )

    def joints(self, phase: Sample) -> Sample:
        """Return the joints for phases xi whose rates may change."""
        xi, rate, change = phase
        sin, cos = np.sin(xi), np.cos(xi)
        return Sample(
            self.phi0 + self.amplitude * sin,
            self.amplitude * cos * rate,
            self.amplitude * (cos * change - sin * rate**2),
        )


GAIT_ENTRY = GaitEntry(HarmonicParameters, lambda _, own: Harmonic(**si_values(own)), joints=2, paced=True)


def phases(omega: float, psi: float, t: Any) -> FloatArray:
    """Return the arguments omega t ± psi/2 of the two joints."""
    return np.asarray(omega * np.asarray(t, dtype=float)[..., np.newaxis] + np.array([0.5 * psi, -0.5 * psi]))
