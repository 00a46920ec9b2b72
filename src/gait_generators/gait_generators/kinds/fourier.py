"""The Fourier gait: a few harmonics per joint, for any number of joints, in shapes found by a search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from crawler_core.motion import Sample
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait import LimitHints
from gait_generators.kinds.gait_entry import GaitEntry
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_library import choose_shape


@dataclass(frozen=True)
class FourierParameters:
    omega: float = parameter(1.3, unit="rad/s", lower=0.05, upper=40.0, doc="angular frequency of the joints")
    library: str = parameter("", doc="name of one of the robot's libraries of shapes")
    shape: str = parameter("", doc="shape in the library, or a shape file; empty: the one tuned for the nearest omega")
    servo_lag: float = parameter(
        0.0, unit="s", lower=0.0, upper=0.5, doc="time constant of first-order servos, which the reference then leads"
    )


@dataclass(frozen=True)
class Fourier:
    """phi_j(t) = phi0_j + sum over k of a_jk cos(k omega t) + b_jk sin(k omega t)."""

    limit_hints: ClassVar[LimitHints] = LimitHints(
        above="choose another gait.shape or lower gait.servo_lag",
        below="choose another gait.shape or lower gait.servo_lag",
        fast="lower gait.omega or gait.servo_lag, or choose another gait.shape",
    )

    omega: float  # rad/s
    shape: Shape

    @staticmethod
    def of(spec: RobotSpec, parameters: FourierParameters) -> Fourier:
        """Return the gait for a robot. Raises UserError for a shape that does not exist, is invalid or does not fit."""
        shape = choose_shape(spec, parameters.library, parameters.shape, parameters.omega)
        return Fourier(parameters.omega, shape.leading(parameters.servo_lag * parameters.omega))

    @property
    def period(self) -> float:
        return 2.0 * math.pi / self.omega

    def sample(self, t: Any) -> Sample:
        orders = np.arange(1, self.shape.harmonics + 1)
        angle = self.omega * np.asarray(t, dtype=float)[..., np.newaxis] * orders
        rate = self.omega * orders
        cos, sin = np.cos(angle), np.sin(angle)
        a, b = self.shape.cos.T, self.shape.sin.T
        return Sample(
            self.shape.mean + cos @ a + sin @ b,
            (rate * cos) @ b - (rate * sin) @ a,
            -((rate**2 * cos) @ a + (rate**2 * sin) @ b),
        )


GAIT_ENTRY = GaitEntry(FourierParameters, Fourier.of)
