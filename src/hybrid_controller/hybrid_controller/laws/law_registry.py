"""The control laws by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from crawler_core.errors import unknown_name
from crawler_core.parameters import ParameterInfo, build, describe
from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from hybrid_controller.laws.law_entry import LawEntry

LAWS: LazyRegistry[LawEntry] = LazyRegistry(
    "control law",
    {
        "joint_tracking": "hybrid_controller.laws.joint_tracking:LAW",
        "effort_tracking": "hybrid_controller.laws.effort_tracking:LAW",
        "phase_lock": "hybrid_controller.laws.phase_lock:LAW",
        "hybrid": "hybrid_controller.laws.hybrid.hybrid_law:LAW",
        "running": "hybrid_controller.laws.running:LAW",
    },
)


def law_name(spec: RobotSpec, name: str | None) -> str:
    """`name`, or the robot's default law, or the one that suits its drives. Raises UserError for an unknown law."""
    plain = "effort_tracking" if any(joint.is_effort_driven for joint in spec.actuated) else "joint_tracking"
    name = name or spec.section("controller").get("default", plain)
    if name not in LAWS:
        raise unknown_name("control law", name, LAWS)
    return name


def law_defaults(spec: RobotSpec, name: str) -> Mapping[str, Any]:
    """The robot's values for the parameters of law `name`."""
    return spec.section("controller").get(name) or {}


def law_infos(spec: RobotSpec, name: str) -> tuple[ParameterInfo, ...]:
    """The parameters of law `name`, with the robot's defaults."""
    cls = LAWS[name].parameters
    start: Any = build(cls, law_defaults(spec, name), section="controller")
    return tuple(dataclasses.replace(info, default=getattr(start, info.name)) for info in describe(cls))


def law_parameters(spec: RobotSpec, name: str, section: Mapping[str, Any]) -> Any:
    """The parameters of law `name`: what the user's section controller says of them, over the robot's, over its own."""
    cls = LAWS[name].parameters
    own = {info.name for info in describe(cls)}
    chosen = {key: value for key, value in section.items() if key in own}
    return build(cls, {**law_defaults(spec, name), **chosen}, section="controller")
