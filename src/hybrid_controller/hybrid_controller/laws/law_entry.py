"""What a kind of control law says of itself; each has such an object, which the catalogue names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.laws.law import Law


@dataclass(frozen=True)
class LawPrediction:
    """What the equations say of a robot under a law that changes what it does."""

    title: str  # what a summary calls it
    # from the law's parameters, with the keys that every robot's prediction has (crawler_models.model); one that is
    # not valid is a finding, and no reason to refuse the run
    of: Callable[[RobotSpec, PeriodicMotion, Any], dict[str, Any]]


@dataclass(frozen=True)
class LawEntry:
    """One kind of law."""

    parameters: type  # a dataclass of crawler_core parameters
    build: Callable[[RobotSpec, Any, float], Law]  # the float is the length of a tick in s
    check: Callable[[RobotSpec], object]  # raises UserError for a robot that the law does not fit
    prediction: LawPrediction | None = None  # None: the robot's own equations hold, as for the bare gait
    transparent: bool = False  # joints are told the reference as it is, so that physics without a law does the same
    marks: Mapping[str, str] = field(default_factory=dict)  # branches that pictures mark, and what they write there


def all_by_position(spec: RobotSpec) -> None:
    """Raise UserError for a robot with joints that are driven by effort: the law says where joints shall be."""
    driven = [joint.name for joint in spec.actuated if joint.by_effort]
    if driven:
        raise UserError(
            f"this law tells joints where to be, but {spec.name} drives {', '.join(driven)} by effort: "
            f"use the control law effort_tracking."
        )
