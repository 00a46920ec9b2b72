"""The task of a shape design: the robot, its frequency, and the limits of its shape."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.three_link import ThreeLink
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import TunedFor


@dataclass(frozen=True)
class Limits:
    """Bounds on the joints and on the feet's loads, and the frictions that the worst step is the worst of."""

    centre: float = 110.0  # deg, middle of the range of every joint
    swing: float = 18.0  # deg, the furthest a joint goes from there
    velocity: float = 6.0  # rad/s
    acceleration: float = 200.0  # rad/s²
    friction_spread: float = 0.1  # each foot's friction may be off by this share, by itself
    lightest_foot: float = 0.05  # smallest normal force of a foot over the robot's weight

    def tuned_for(self, omega: float, friction: float) -> TunedFor:
        """Return these limits as a shape file holds them."""
        return TunedFor(omega=omega, friction=friction, **asdict(self))


@dataclass(frozen=True)
class ShapeTask:
    """A robot at one frequency, with limits. A search varies its shapes as vectors of numbers of like importance."""

    robot: ThreeLink
    joints: tuple[str, ...]
    omega: float  # rad/s
    limits: Limits

    @staticmethod
    def of(spec: RobotSpec, omega: float, limits: Limits) -> ShapeTask:
        """Return the task for a robot. Raises UserError for one that is no three-link crawler."""
        try:
            robot = ThreeLink.from_parameters(spec.parameters)
        except ValueError as error:
            raise UserError(f"shapes are designed for three-link crawlers, and {spec.name} is none: {error}") from None
        return ShapeTask(robot, spec.actuated_names, omega, limits)

    @property
    def frictions(self) -> FloatArray:
        """(mu_1, mu_2) of the nine robots whose worst step counts; the nominal one comes first."""
        spread = self.limits.friction_spread
        scales = np.array(list(product((1.0, 1.0 - spread, 1.0 + spread), repeat=2)))
        return np.asarray(scales * (self.robot.mu1, self.robot.mu2))

    def encode(self, shape: Shape, harmonics: int) -> FloatArray:
        """Return offsets of the means from the centre, then the coefficients times their order, as in the speed."""
        rows = np.zeros((2, len(self.joints), harmonics))
        count = min(harmonics, shape.harmonics)
        rows[:, :, :count] = shape.cos[:, :count], shape.sin[:, :count]
        rows *= np.arange(1, harmonics + 1)
        return np.concatenate((shape.mean - math.radians(self.limits.centre), rows.ravel()))

    def decode(self, point: FloatArray) -> Shape:
        """Return the shape of a vector."""
        joints = len(self.joints)
        rows = point[joints:].reshape(2, joints, -1)
        cos, sin = rows / np.arange(1, rows.shape[2] + 1)
        return Shape(self.joints, math.radians(self.limits.centre) + point[:joints], cos, sin)
