"""The three-link robot's physical parameters (Fig. 2 and Table I of the paper)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_PARAMETER_OF_FIELD = {
    "m0": "central_mass",
    "l0": "central_length",
    "J0": "central_inertia",
    "m1": "mass_1",
    "l1": "length_1",
    "J1": "inertia_1",
    "m2": "mass_2",
    "l2": "length_2",
    "J2": "inertia_2",
    "g": "gravity",
}
_FRICTION_KEYS = ("friction", "friction_scale_1", "friction_scale_2")


@dataclass(frozen=True)
class ThreeLink:
    """A central link (0) between two distal links (1, 2), each ending in a passive foot. SI units.

    Inertias are about each link's own centre of mass, which is its middle. The distal links and the two feet's
    friction coefficients need not be equal.
    """

    m0: float  # kg
    l0: float  # m
    J0: float  # kg m^2
    m1: float
    l1: float
    J1: float
    m2: float
    l2: float
    J2: float
    mu1: float  # Coulomb friction of foot 1; static and kinetic are the same, as in the paper
    mu2: float
    g: float  # m/s^2

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not math.isfinite(value) or value < 0.0 or (value == 0.0 and name[0] in "mlg" and name[:2] != "mu"):
                raise ValueError(f"The three-link robot's {name} is {value!r}; a positive finite SI number is needed.")

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> ThreeLink:
        """Read the flat keys of robot.yaml; foot i's friction is ``friction * friction_scale_i``.

        Raises ValueError when a key is missing or a value is not physical; keys of other concerns are ignored.
        """
        missing = [key for key in (*_PARAMETER_OF_FIELD.values(), *_FRICTION_KEYS) if key not in parameters]
        if missing:
            raise ValueError(f"The three-link robot's parameters lack {', '.join(missing)}.")
        values = {field: float(parameters[key]) for field, key in _PARAMETER_OF_FIELD.items()}
        friction = float(parameters["friction"])
        return cls(
            mu1=friction * float(parameters["friction_scale_1"]),
            mu2=friction * float(parameters["friction_scale_2"]),
            **values,
        )

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return self.m0 + self.m1 + self.m2
