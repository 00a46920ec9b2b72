"""What a study keeps of a robot besides what it keeps of all: numbers that only its equations or its paper have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler_core.robot import RobotSpec
from crawler_models.prediction import predict
from gait_generators.gait import Gait

# keys of the robot's prediction, by the robot's name
OWN: Mapping[str, tuple[str, ...]] = {
    "snake": ("d_step_m", "slip", "f", "peak_torque_N_m", "friction_work_J"),
}


def own_names(robot: str) -> tuple[str, ...]:
    """The columns of the robot's own, with their units."""
    return OWN.get(robot, ())


def predicted(robot: str, prediction: Mapping[str, Any]) -> dict[str, float]:
    """The robot's own numbers by its equations."""
    return {name: prediction[name] for name in own_names(robot)}


def measured(spec: RobotSpec, gait: Gait, step_length: float, found: Mapping[str, float]) -> dict[str, float]:
    """The same where a step of `step_length` (m) and the numbers `found` were measured; theory gives what cannot be."""
    if not own_names(spec.name):
        return {}
    theory = predict(spec.name, spec.parameters, gait)
    slip = {"slip": 1.0 - abs(step_length) / theory["d_step_m"]} if "d_step_m" in theory else {}
    return predicted(spec.name, {**theory, **slip, **found})
