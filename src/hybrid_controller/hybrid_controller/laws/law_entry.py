"""Registry entry of a control law; each law module has one, named in the law registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.reality.reality import Reality
from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.laws.law import Law


@dataclass(frozen=True)
class LawPrediction:
    """Prediction by the equations for a robot under a law that changes its motion."""

    title: str  # in a summary
    # Takes the law's parameters and returns the keys that every robot's prediction has
    # (crawler_models.interface.model). A prediction that is not valid is a finding; it does not stop the run.
    of: Callable[[RobotSpec, PeriodicMotion, Any], dict[str, Any]]


def _holds(_spec: RobotSpec, _gait: PeriodicMotion, _parameters: Any, _motors: Reality, _rate: float) -> str:
    return ""


@dataclass(frozen=True)
class LawEntry:
    parameters: type  # a dataclass of crawler_core parameters
    build: Callable[[RobotSpec, Any, float], Law]  # the float is the tick in s
    check: Callable[[RobotSpec], object]  # raises UserError for a robot that the law does not fit
    prediction: LawPrediction | None = None  # None: the robot's own equations hold, as for the bare gait
    transparent: bool = False  # passes the reference on unchanged: physics without the law moves the same
    marks: Mapping[str, str] = field(default_factory=dict)  # branches that plots mark, with their label
    # Takes the law's parameters, what the run's motors are believed to do, and the rate (Hz). Returns a warning or an
    # empty text; raises UserError for motors or gaits with which the law does not hold.
    check_run: Callable[[RobotSpec, PeriodicMotion, Any, Reality, float], str] = _holds


def require_position_drives(spec: RobotSpec) -> None:
    """Raise UserError for a robot with effort-driven joints: the law commands positions."""
    driven = [joint.name for joint in spec.actuated if joint.is_effort_driven]
    if driven:
        raise UserError(
            f"this law commands positions, but {spec.name} drives {', '.join(driven)} by effort: "
            f"use the control law effort_tracking."
        )
