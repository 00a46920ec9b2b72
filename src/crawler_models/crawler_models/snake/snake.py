"""The physical numbers of the snake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Snake:
    """Equal straight links, each with its mass spread evenly along it; SI units."""

    links: int  # N
    length: float  # l of one link, m
    mass: float  # of one link, kg
    gravity: float  # m/s²
    friction: float  # Coulomb's coefficient under every point P_0 to P_N

    @staticmethod
    def from_parameters(parameters: Mapping[str, float]) -> Snake:
        """From the parameters of the robot file. Raises ValueError where one is missing."""
        needed = ("links", "link_length", "link_mass", "gravity", "friction")
        if missing := [key for key in needed if key not in parameters]:
            raise ValueError(f"The snake's parameters lack {', '.join(missing)}.")
        return Snake(
            links=int(parameters["links"]),
            length=parameters["link_length"],
            mass=parameters["link_mass"],
            gravity=parameters["gravity"],
            friction=parameters["friction"],
        )

    @property
    def weight(self) -> float:
        """Weight of the whole snake, N."""
        return self.links * self.mass * self.gravity
