"""What a robot's equations predict for a gait, by the robot's name: plain numbers for reports and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.joint_motion import JointMotion
from crawler_models.three_link.modes import ROS_MODE


def has_equations(robot_name: str) -> bool:
    """Whether `predict` knows the robot."""
    return robot_name in _PREDICTORS


def predict(
    robot_name: str, parameters: Mapping[str, Any], motion: JointMotion, efforts: Sequence[float] = ()
) -> dict[str, Any]:
    """Steady-state prediction in SI units; ``parameters`` are those of the robot's robot.yaml.

    Keys of every robot: step_length_m (positive towards +x), speed_m_s, period_s, valid, reason, cycles_to_steady. When
    ``valid`` is false step and speed are NaN and ``reason`` is a sentence. ``efforts`` are the limits of the actuated
    joints (N m), for equations that say what a gait takes of them.

    The three-link robot has besides: mode_switches (a list of ``{"phase": t / T, "modes": [foot 1, foot 2]}`` with
    "stick", "slip_pos" or "slip_neg" in ROS axes), min_normal_force_N, painleve_margin, unique. The snake's own are
    told by ``crawler_models.snake.prediction``. Raises ValueError for a robot without equations here.
    """
    if robot_name not in _PREDICTORS:
        known = ", ".join(sorted(_PREDICTORS))
        raise ValueError(f"There are no equations for the robot {robot_name!r}; there are for: {known}.")
    return _PREDICTORS[robot_name](parameters, motion, efforts)


def _three_link(parameters: Mapping[str, Any], motion: JointMotion, _efforts: Sequence[float]) -> dict[str, Any]:
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


def _snake(parameters: Mapping[str, Any], motion: JointMotion, efforts: Sequence[float]) -> dict[str, Any]:
    from crawler_models.snake.prediction import predict_snake

    return predict_snake(parameters, motion, efforts)


_PREDICTORS: dict[str, Callable[[Mapping[str, Any], JointMotion, Sequence[float]], dict[str, Any]]] = {
    "three_link": _three_link,
    "snake": _snake,
}
