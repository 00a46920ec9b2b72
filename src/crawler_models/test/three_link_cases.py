"""The robot of Table I and the paper's inputs, shared by the tests."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawler_models.three_link import ThreeLink

HARD, SOFT = 0.172, 0.398  # friction of the two tips
TABLE_I = {
    "gravity": 9.81,
    "central_mass": 0.194,
    "central_length": 0.187,
    "central_inertia": 776.3e-6,
    "mass_1": 0.021,
    "length_1": 0.170,
    "inertia_1": 98.7e-6,
    "mass_2": 0.021,
    "length_2": 0.170,
    "inertia_2": 98.7e-6,
    "friction": HARD,
    "friction_scale_1": 1.0,
    "friction_scale_2": 1.0,
}


def robot(**changes: float) -> ThreeLink:
    """Table I with some parameters changed."""
    return ThreeLink.from_parameters({**TABLE_I, **changes})


@dataclass(frozen=True)
class Harmonic:
    """(5) with the time scaling (8); angles in degrees as the paper gives them, alpha and upsilon as in (8)."""

    omega: float
    psi: float = 20.0
    phi0: float = 110.0
    amplitude: float = 18.0
    alpha: float = 0.0
    upsilon: float = 0.0

    @property
    def period(self) -> float:
        return 2.0 * math.pi / self.omega

    def sample(self, t: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        xi = self.omega * np.asarray(t, dtype=float)[..., None] + np.radians(self.psi) * np.array([0.5, -0.5])
        s = xi + self.alpha * np.sin(xi + self.upsilon)
        ds = self.omega * (1.0 + self.alpha * np.cos(xi + self.upsilon))
        dds = -(self.omega**2) * self.alpha * np.sin(xi + self.upsilon)
        a = math.radians(self.amplitude)
        q = math.radians(self.phi0) + a * np.sin(s)
        return q, a * np.cos(s) * ds, a * (np.cos(s) * dds - np.sin(s) * ds**2)


def random_robot(rng: np.random.Generator) -> ThreeLink:
    """Unequal links and frictions, within a third of Table I's."""

    def near(value: float) -> float:
        return float(value * rng.uniform(0.7, 1.3))

    return ThreeLink(
        m0=near(0.194),
        l0=near(0.187),
        J0=near(776.3e-6),
        m1=near(0.04),
        l1=near(0.170),
        J1=near(98.7e-6),
        m2=near(0.04),
        l2=near(0.170),
        J2=near(98.7e-6),
        mu1=near(0.25),
        mu2=near(0.25),
        g=9.81,
    )
