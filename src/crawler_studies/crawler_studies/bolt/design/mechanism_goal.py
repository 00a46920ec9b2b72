"""What the mechanism shall do: the foot's ideal_path path, and the weights and limits of the search."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class MechanismGoal:
    """The paper draws its path without numbers; with these Table 2's foot is 5.8 mm off (rms)."""

    stride: float = parameter(0.230, unit="m", lower=0.02, upper=1.0, doc="of the foot's ideal_path path, its length")
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
