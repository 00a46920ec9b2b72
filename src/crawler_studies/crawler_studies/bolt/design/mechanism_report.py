"""What one mechanism comes to, for people: how well its foot follows the ideal_path path, and whether it turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crawler_models.bolt.equations.six_bar import pins
from crawler_models.bolt.equations.transmission import transmission
from crawler_models.model import Column
from crawler_studies.bolt.design.bars import Bars
from crawler_studies.bolt.design.ideal_path import ideal_path, turn
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.bolt.design.objective import ANGLES, attack

FINE = 10 * ANGLES  # angles at which a turn is looked at for what is least and most

COLUMNS = (
    Column("J", "objective (4)", lambda v: f"{v:.5f}", study_type=float),
    Column("path_rms_m", "off the ideal_path path, rms", lambda v: f"{1e3 * v:.2f} mm", study_type=float),
    Column("path_worst_m", "off the ideal_path path, most", lambda v: f"{1e3 * v:.2f} mm", study_type=float),
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
    """By the keys of COLUMNS; NaN for what a mechanism that does not turn lacks."""
    crank = turn(goal, ANGLES)
    p = pins(bars, crank)
    off = np.abs(p.F - ideal_path(goal, crank))
    alpha = float(attack(p)[0])
    fine = turn(goal, FINE)
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
