"""The physical numbers of BOLT, by the paper's symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

PARAMETER_OF_SYMBOL = {  # the paper's symbol, and the robot file's parameter
    "l_c": "hip_distance",
    "theta": "hip_angle",
    "l_1": "crank_length",
    "l_2": "hfe_length",
    "l_3": "kfe_length",
    "l_4": "femur_length",
    "l_5": "tibia_length",
    "l_s": "hfe_to_kfe",
    "l_f": "femur_to_hfe",
    "l_t": "tibia_to_kfe",
    "m_1": "crank_mass",
    "m_2": "hfe_mass",
    "m_3": "kfe_mass",
    "m_4": "femur_mass",
    "m_5": "tibia_mass",
    "m_b": "body_mass",
    "c_2": "hfe_centre",
    "c_3": "kfe_centre",
    "c_4": "femur_centre",
    "c_5": "tibia_centre",
    "I_1": "crank_inertia",
    "I_2": "hfe_inertia",
    "I_3": "kfe_inertia",
    "I_4": "femur_inertia",
    "I_5": "tibia_inertia",
    "I_r": "rotor_inertia",
    "g": "gravity",
    "mu": "friction",
    "k": "foot_stiffness",
    "d": "foot_damping",
}


@dataclass(frozen=True)
class Leg:
    """Lengths, masses and contact of the six-bar leg; SI units. c_i is l_cm,i of Table 3, I_i about the mass centre."""

    l_c: float  # m, P to A: from the crank's axis to the femur's hinge
    theta: float  # rad, of P to A
    l_1: float  # m, crank, P to D
    l_2: float  # m, HFE link, D to B
    l_3: float  # m, KFE link, C to G
    l_4: float  # m, femur, A to the knee E
    l_5: float  # m, tibia, E to the foot F
    l_s: float  # m, D to C along the HFE link
    l_f: float  # m, A to B along the femur
    l_t: float  # m, E to G along the tibia
    m_1: float  # kg; the crank's centre is on its axis
    m_2: float
    m_3: float
    m_4: float
    m_5: float
    m_b: float  # kg, of the body, whose centre is the crank's axis
    c_2: float  # m from D
    c_3: float  # m from C
    c_4: float  # m from A
    c_5: float  # m from E
    I_1: float  # kg m²
    I_2: float
    I_3: float
    I_4: float
    I_5: float
    I_r: float  # kg m², the rotor's, as the crank feels it through the gear
    g: float  # m/s²
    mu: float  # Coulomb's coefficient under the foot
    k: float  # N/m, of foot and ground together; 0: rigid
    d: float  # N s/m, damping of the foot

    @staticmethod
    def from_parameters(parameters: Mapping[str, float]) -> Leg:
        """From the parameters of the robot file. Raises ValueError where one is missing."""
        if missing := [name for name in PARAMETER_OF_SYMBOL.values() if name not in parameters]:
            raise ValueError(f"BOLT's parameters lack {', '.join(missing)}.")
        values = {symbol: float(parameters[name]) for symbol, name in PARAMETER_OF_SYMBOL.items()}
        return Leg(**{**values, "theta": math.radians(values["theta"])})

    @property
    def mass(self) -> float:
        """Mass of the whole leg with its body, kg."""
        return self.m_1 + self.m_2 + self.m_3 + self.m_4 + self.m_5 + self.m_b
