"""The physical numbers of MinIAQ-II, by the paper's symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.types import FloatArray

LEG_NAMES = ("fl", "fr", "hl", "hr")  # front left, front right, hind left, hind right; the order of every array of legs

PARAMETER_OF_SYMBOL = {  # the symbol, and the robot file's parameter
    "m": "mass",
    "length": "body_length",
    "width": "body_width",
    "thickness": "body_thickness",
    "x_front": "front_x",
    "x_hind": "hind_x",
    "y_left": "motor_y",
    "x_A": "pivot_x",
    "z_A": "pivot_z",
    "l_2": "crank_length",
    "l_3": "coupler_length",
    "l_4": "rocker_length",
    "l_5": "shin_length",
    "l_6": "fold_length",
    "theta_35": "shin_angle",
    "theta_36": "fold_angle",
    "K": "contact_stiffness",
    "e": "contact_exponent",
    "c_max": "contact_damping",
    "d": "contact_depth",
    "pulls": "contact_pulls",
    "mu_s": "friction_static",
    "mu_d": "friction_dynamic",
    "V_s": "speed_static",
    "V_d": "speed_dynamic",
    "J": "rotor_inertia",
    "B": "motor_damping",
    "g": "gravity",
}


@dataclass(frozen=True)
class Quadruped:
    """Lengths, mass, contact and motors; SI units. The legs are massless."""

    m: float  # kg
    length: float  # m, of the prism that the mass fills, along x
    width: float  # m, along y
    thickness: float  # m, along z
    x_front: float  # m, of the motors' axes B from the centre of mass
    x_hind: float  # m
    y_left: float  # m; the right legs mirror it
    x_A: float  # m, B to A
    z_A: float  # m
    l_2: float  # m, crank, B to D
    l_3: float  # m, coupler, D to C
    l_4: float  # m, rocker, A to C
    l_5: float  # m, coupler, C to the foot E
    l_6: float  # m, coupler, C to the fold F
    theta_35: float  # rad, from D to C on, clockwise to E
    theta_36: float  # rad, counter-clockwise to F
    K: float  # N/m^e, of the contact
    e: float
    c_max: float  # N s/m
    d: float  # m, from which depth on the damping is c_max
    pulls: bool  # whether the damping may hold a foot that leaves the ground
    mu_s: float
    mu_d: float
    V_s: float  # m/s
    V_d: float  # m/s
    J: float  # kg m², of a rotor, as its crank feels it
    B: float  # N m s/rad, by which a motor's torque falls with its speed, at the crank
    g: float  # m/s²

    @staticmethod
    def from_parameters(parameters: Mapping[str, float]) -> Quadruped:
        """From the parameters of the robot file. Raises ValueError where one is missing."""
        if missing := [name for name in PARAMETER_OF_SYMBOL.values() if name not in parameters]:
            raise ValueError(f"MinIAQ's parameters lack {', '.join(missing)}.")
        values: dict[str, Any] = {symbol: float(parameters[name]) for symbol, name in PARAMETER_OF_SYMBOL.items()}
        values["K"] *= 1000.0 ** values["e"]  # from N/mm^e
        values["theta_35"], values["theta_36"] = math.radians(values["theta_35"]), math.radians(values["theta_36"])
        return Quadruped(**{**values, "pulls": bool(values["pulls"])})

    @property
    def inertia(self) -> FloatArray:
        """Ixx, Iyy, Izz (kg m²) of the prism, m/12 (dj² + dk²)."""
        square = np.array([self.length, self.width, self.thickness]) ** 2
        return self.m / 12.0 * (square.sum() - square)

    @property
    def hips(self) -> FloatArray:
        """Positions of the motors' axes B in the body (m): a row for each of LEG_NAMES."""
        y = self.y_left
        return np.array(
            [[self.x_front, y, 0.0], [self.x_front, -y, 0.0], [self.x_hind, y, 0.0], [self.x_hind, -y, 0.0]]
        )
