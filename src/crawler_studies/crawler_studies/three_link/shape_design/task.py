"""What a search is about: the robot, its frequency and what its shape must respect."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.three_link import ThreeLink
from crawler_studies.three_link.shape_design.limits import Limits


@dataclass(frozen=True)
class Task:
    """The robot, its frequency and what its shape must respect."""

    robot: ThreeLink
    joints: tuple[str, ...]
    omega: float  # rad/s
    limits: Limits

    @staticmethod
    def of(spec: RobotSpec, omega: float, limits: Limits) -> Task:
        """Raises UserError for a robot that is no three-link crawler."""
        try:
            robot = ThreeLink.from_parameters(spec.parameters)
        except ValueError as error:
            raise UserError(f"shapes are designed for three-link crawlers, and {spec.name} is none: {error}") from None
        return Task(robot, spec.actuated_names, omega, limits)

    @property
    def frictions(self) -> FloatArray:
        """(mu_1, mu_2) of the nine robots whose worst step counts; the nominal one comes first."""
        spread = self.limits.friction_spread
        scales = np.array(list(product((1.0, 1.0 - spread, 1.0 + spread), repeat=2)))
        return np.asarray(scales * (self.robot.mu1, self.robot.mu2))
