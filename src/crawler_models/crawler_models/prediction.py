"""What a robot's equations predict for a gait, by the robot's name: plain numbers for reports and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.joint_motion import JointMotion

_ROS_MODE = {0: "stick", -1: "slip_pos", 1: "slip_neg"}  # the paper's x points backwards in ROS axes


def has_equations(robot_name: str) -> bool:
    """Whether `predict` knows the robot."""
    return robot_name in _PREDICTORS


def predict(robot_name: str, parameters: Mapping[str, Any], motion: JointMotion) -> dict[str, Any]:
    """Steady-state prediction in SI units; ``parameters`` are those of the robot's robot.yaml.

    Keys: step_length_m (positive towards +x), speed_m_s, period_s, mode_switches (a list of ``{"phase": t / T,
    "modes": [foot 1, foot 2]}`` with "stick", "slip_pos" or "slip_neg" in ROS axes), min_normal_force_N,
    painleve_margin, unique, valid, reason, cycles_to_steady. When ``valid`` is false the numbers are NaN and ``reason``
    is a sentence. Raises ValueError for a robot without equations here.
    """
    if robot_name not in _PREDICTORS:
        known = ", ".join(sorted(_PREDICTORS))
        raise ValueError(f"There are no equations for the robot {robot_name!r}; there are for: {known}.")
    return _PREDICTORS[robot_name](parameters, motion)


def _three_link(parameters: Mapping[str, Any], motion: JointMotion) -> dict[str, Any]:
    result = crawl(ThreeLink.from_parameters(parameters), motion)
    return {
        "step_length_m": result.step_length,
        "speed_m_s": result.speed,
        "period_s": result.period,
        "mode_switches": [
            {"phase": phase, "modes": [_ROS_MODE[s1], _ROS_MODE[s2]]} for phase, (s1, s2) in result.switches
        ],
        "min_normal_force_N": result.min_normal_force,
        "painleve_margin": result.painleve_margin,
        "unique": result.unique,
        "valid": result.valid,
        "reason": result.reason,
        "cycles_to_steady": result.cycles_to_steady,
    }


_PREDICTORS: dict[str, Callable[[Mapping[str, Any], JointMotion], dict[str, Any]]] = {"three_link": _three_link}
