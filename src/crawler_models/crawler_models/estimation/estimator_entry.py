"""Registry entry of an estimator; each estimator module has one, named in the estimator registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.estimator import Estimator


@dataclass(frozen=True)
class EstimatorEntry:
    parameters: type  # a dataclass of crawler_core parameters
    build: Callable[[RobotSpec, Any], Estimator]  # raises UserError for a robot that it does not fit
