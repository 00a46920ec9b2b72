"""The prediction that a run is compared with, and the gaits that the equations rule out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.model_registry import predict, predicts
from gait_generators.kinds.gait import Gait
from hybrid_controller.laws.law_registry import LAWS, law_parameters


@dataclass(frozen=True)
class Prediction:
    """The steady crawl by the equations or by a law."""

    numbers: Mapping[str, Any] | None  # of crawler_models; None: no prediction for this run
    source: str  # such as "equations", or the reason why there are none


def predict_by_equations(spec: RobotSpec, gait: Gait) -> Prediction:
    """Predict the bare gait. Raises UserError for a gait that the robot's equations rule out."""
    if not predicts(spec):
        return Prediction(None, "none: there are no equations for this robot")
    numbers = predict(spec, gait)
    if not numbers["valid"]:
        reason = numbers["reason"].rstrip(".")
        raise UserError(f"the equations do not hold for this gait: {reason}; {gait.limit_hints.ground}.")
    return Prediction(numbers, "equations")


def predict_by_law(spec: RobotSpec, gait: Gait, law: str, controller: Mapping[str, Any]) -> Prediction | None:
    """Predict the run under a law; return None for a law under which the robot's own equations hold.

    An invalid prediction is a result here, not an error of the input.
    """
    of_law = LAWS[law].prediction
    if of_law is None:
        return None
    numbers = of_law.of(spec, gait, law_parameters(spec, law, controller))
    return Prediction(numbers, of_law.title) if numbers["valid"] else Prediction(None, f"none: {numbers['reason']}")
