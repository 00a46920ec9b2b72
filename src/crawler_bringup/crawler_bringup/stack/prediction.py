"""What a run can be compared with, and the gaits that the equations rule out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.models import predict, predicts
from gait_generators.kinds.gait import Gait
from hybrid_controller.laws.law_registry import LAWS, law_parameters


@dataclass(frozen=True)
class Prediction:
    """The steady crawl by the equations."""

    numbers: Mapping[str, Any] | None  # those of crawler_models; None: there are none for this run
    words: str  # what the measured is compared with, or why with nothing


def predict_by_equations(spec: RobotSpec, gait: Gait) -> Prediction:
    """Of the bare gait. Raises UserError for a gait that the robot's equations rule out."""
    if not predicts(spec):
        return Prediction(None, "none: there are no equations for this robot")
    numbers = predict(spec, gait)
    if not numbers["valid"]:
        reason = numbers["reason"].rstrip(".")
        raise UserError(f"the equations do not hold for this gait: {reason}; {gait.limit_hints.ground}.")
    return Prediction(numbers, "equations")


def predict_by_law(spec: RobotSpec, gait: Gait, law: str, controller: Mapping[str, Any]) -> Prediction | None:
    """Of a law that changes what the robot does; None for a law under which the robot's own equations hold.

    A prediction that is not valid is a finding here, and no mistake in the input.
    """
    of_law = LAWS[law].prediction
    if of_law is None:
        return None
    numbers = of_law.of(spec, gait, law_parameters(spec, law, controller))
    return Prediction(numbers, of_law.title) if numbers["valid"] else Prediction(None, f"none: {numbers['reason']}")
