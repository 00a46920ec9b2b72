"""The goal of a mechanism: the foot's ideal path, and the weights and limits of the search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler_core.parameters import parameter
from crawler_core.types import FloatArray


@dataclass(frozen=True)
class MechanismGoal:
    """A half sine of stance and a flat arc of flight, as the ideal path of Fig. 3(b).

    The paper draws it without numbers; with these Table 2's foot is 5.8 mm off (rms).
    """

    stride: float = parameter(0.230, unit="m", lower=0.02, upper=1.0, doc="of the foot's ideal path, its length")
    depth: float = parameter(
        0.050, unit="m", lower=0.0, upper=0.5, doc="of the half sine of stance, below the path's ends"
    )
    rise: float = parameter(
        0.010, unit="m", lower=0.0, upper=0.5, doc="of the half sine of flight, above the path's ends"
    )
    centre_x: float = parameter(
        0.045, unit="m", lower=-1.0, upper=1.0, doc="middle of the path's ends, ahead of the crank"
    )
    centre_y: float = parameter(
        -0.373, unit="m", lower=-2.0, upper=0.0, doc="and its height: negative, below the crank"
    )
    touch_down: float = parameter(
        342.0, unit="degrees", lower=-360.0, upper=360.0, doc="crank angle where stance begins"
    )
    stance: float = parameter(208.0, unit="degrees", lower=30.0, upper=330.0, doc="that the crank turns in stance")
    attack_weight: float = parameter(
        0.01, unit="m^2/rad", lower=0.0, upper=10.0, doc="W_1 of (4), of the angle of attack"
    )
    path_weight: float = parameter(
        1.0, lower=0.001, upper=1000.0, doc="W_2 of (4), of the squared distances at 360 angles"
    )
    leg_least: float = parameter(0.45, unit="m", lower=0.05, upper=2.0, doc="femur and tibia together at least: (5)")
    leg_most: float = parameter(0.50, unit="m", lower=0.05, upper=2.0, doc="and at most; Table 2 itself has 0.513")
    transmission: float = parameter(
        30.0,
        unit="degrees",
        lower=0.0,
        upper=80.0,
        doc="that both four-bars stay from a dead centre, the paper names none",
    )

    def ideal_path(self, crank: FloatArray) -> FloatArray:
        """Return f_des, x + i y (m) in the body's frame, at the crank's angles (rad).

        The crank turns backward: stance begins at `touch_down` with the foot ahead and goes on at smaller angles. Along
        x the foot moves by a cosine of the crank's angle from end to end, so that it turns back without a jump.
        """
        since = np.mod(np.radians(self.touch_down) - crank, 2.0 * np.pi)
        stance = np.radians(self.stance)
        down = since < stance
        phase = np.pi * np.where(down, since / stance, (since - stance) / (2.0 * np.pi - stance))
        x = self.centre_x + 0.5 * self.stride * np.where(down, np.cos(phase), -np.cos(phase))
        y = self.centre_y + np.where(down, -self.depth, self.rise) * np.sin(phase)
        return np.asarray(x + 1j * y)

    def crank_turn(self, count: int) -> FloatArray:
        """Return `count` angles (rad) of one turn of the crank, from touch-down on, in the direction that it turns."""
        return np.radians(self.touch_down) - 2.0 * np.pi * np.arange(count) / count
