"""The numbers of a mechanism, for people: how well its foot follows the ideal path, and whether the crank turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crawler_models.bolt.equations.six_bar import pins
from crawler_models.bolt.equations.transmission import transmission
from crawler_models.interface.model import Column
from crawler_studies.bolt.design.bars import Bars
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.bolt.design.objective import ANGLES, attack_angle

FINE_ANGLES = 10 * ANGLES  # of a turn, for the extremes

COLUMNS = (
    Column("J", "objective (4)", lambda v: f"{v:.5f}", study_type=float),
    Column("path_rms_m", "off the ideal path, rms", lambda v: f"{1e3 * v:.2f} mm", study_type=float),
    Column("path_worst_m", "off the ideal path, most", lambda v: f"{1e3 * v:.2f} mm", study_type=float),
    Column("attack_rad", "angle of attack", lambda v: f"{np.degrees(v):.2f}°", study_type=float),
    Column("stride_m", "stride of the foot", lambda v: f"{1e3 * v:.1f} mm", study_type=float),
    Column("height_m", "height of its path", lambda v: f"{1e3 * v:.1f} mm", study_type=float),
    Column("leg_m", "femur and tibia (5)", lambda v: f"{1e3 * v:.1f} mm", study_type=float),
    Column("turns", "the crank turns fully", lambda v: "yes" if v else "no", study_type=bool),
    Column("upper_rad", "least angle at B", lambda v: f"{np.degrees(v):.1f}°", study_type=float),
    Column("lower_rad", "least angle at G", lambda v: f"{np.degrees(v):.1f}°", study_type=float),
    Column("det_Jz_m4", "least size of det Jz", lambda v: f"{v:.2e} m⁴", study_type=float),
)


def evaluate_mechanism(bars: Bars, goal: MechanismGoal) -> Mapping[str, Any]:
    """Return the numbers by the keys of COLUMNS; NaN for those that a mechanism without a full turn lacks."""
    crank = goal.crank_turn(ANGLES)
    p = pins(bars, crank)
    off = np.abs(p.F - goal.ideal_path(crank))
    alpha = float(attack_angle(p)[0])
    fine = goal.crank_turn(FINE_ANGLES)
    foot, drive = pins(bars, fine).F, transmission(bars, fine)
    return {
        "J": goal.attack_weight * abs(alpha) + goal.path_weight * float((off**2).sum()),
        "path_rms_m": float(np.sqrt((off**2).mean())),
        "path_worst_m": float(off.max()),
        "attack_rad": alpha,
        "stride_m": float(np.ptp(foot.real)),
        "height_m": float(np.ptp(foot.imag)),
        "leg_m": bars.l_4 + bars.l_5,
        "turns": bool(np.isfinite(foot).all()),
        "upper_rad": float(np.minimum(drive.upper, np.pi - drive.upper).min()),
        "lower_rad": float(np.minimum(drive.lower, np.pi - drive.lower).min()),
        "det_Jz_m4": float(np.abs(drive.det_Jz).min()),
    }
