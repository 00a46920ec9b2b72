"""Predict a gait from the equations, as plain numbers for reports and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link.equations.foot_mode import ROS_MODE
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.simulation.crawl import crawl


def predict(parameters: Mapping[str, Any], motion: PeriodicMotion) -> dict[str, Any]:
    """The steady crawl with prescribed joints; ``parameters`` are those of the robot file.

    In addition to the keys of every robot: mode_switches (a list of ``{"phase": t / T, "modes": [foot 1, foot 2]}``
    with "stick", "slip_pos" or "slip_neg" in ROS axes), min_normal_force_N, painleve_margin, unique.
    """
    result = crawl(ThreeLink.from_parameters(parameters), motion)
    return {
        "step_length_m": result.step_length,
        "speed_m_s": result.speed,
        "period_s": result.period,
        "mode_switches": [
            {"phase": phase, "modes": [ROS_MODE[sign].name.lower() for sign in signs]}
            for phase, signs in result.switches
        ],
        "min_normal_force_N": result.min_normal_force,
        "painleve_margin": result.painleve_margin,
        "unique": result.unique,
        "valid": result.valid,
        "reason": result.reason,
        "cycles_to_steady": result.cycles_to_steady,
    }
