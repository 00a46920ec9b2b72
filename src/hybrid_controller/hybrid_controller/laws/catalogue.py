"""The control laws by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import unknown_name
from crawler_core.robot import RobotSpec
from hybrid_controller.laws.hybrid import Hybrid, HybridParameters, three_link_of
from hybrid_controller.laws.joint_tracking import JointTracking, JointTrackingParameters
from hybrid_controller.laws.law import Law


@dataclass(frozen=True)
class Entry:
    """One kind of law."""

    parameters: type  # a dataclass of crawler_core parameters
    build: Callable[[RobotSpec, Any, float], Law]  # the float is the length of a tick in s
    check: Callable[[RobotSpec], object] = lambda spec: None  # raises UserError for a robot that the law does not fit


LAWS: Mapping[str, Entry] = {
    "joint_tracking": Entry(JointTrackingParameters, JointTracking),
    "hybrid": Entry(HybridParameters, Hybrid, check=three_link_of),
}

FALLBACK = "joint_tracking"  # for a robot whose file names no law


def law_name(spec: RobotSpec, name: str | None) -> str:
    """`name`, or the robot's default law. Raises UserError for a law that does not exist."""
    name = name or spec.section("controller").get("default", FALLBACK)
    if name not in LAWS:
        raise unknown_name("control law", name, LAWS)
    return name


def law_defaults(spec: RobotSpec, name: str) -> Mapping[str, Any]:
    """The robot's values for the parameters of law `name`."""
    return spec.section("controller").get(name) or {}
