"""The control laws by name."""

from __future__ import annotations

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
        "joint_tracking": "hybrid_controller.laws.joint_tracking:LAW_ENTRY",
        "effort_tracking": "hybrid_controller.laws.effort_tracking:LAW_ENTRY",
        "phase_lock": "hybrid_controller.laws.phase_lock:LAW_ENTRY",
        "hybrid": "hybrid_controller.laws.three_link.hybrid_law:LAW_ENTRY",
        "running": "hybrid_controller.laws.bolt.running:LAW_ENTRY",
    },
)


def law_name(spec: RobotSpec, name: str | None) -> str:
    """Return `name`, or the robot's default law, or the law for its drives. Raises UserError for an unknown law."""
    for_drives = "effort_tracking" if any(joint.is_effort_driven for joint in spec.actuated) else "joint_tracking"
    name = name or spec.section("controller").get("default", for_drives)
    if name not in LAWS:
        raise unknown_name("control law", name, LAWS)
    return name


def law_defaults(spec: RobotSpec, name: str) -> Mapping[str, Any]:
    return spec.section("controller").get(name) or {}


def law_infos(spec: RobotSpec, name: str) -> tuple[ParameterInfo, ...]:
    """Return the parameters of law `name`, with the robot's defaults."""
    return describe(LAWS[name].parameters, law_parameters(spec, name, {}))


def law_parameters(spec: RobotSpec, name: str, section: Mapping[str, Any]) -> Any:
    """Return the parameters of law `name`: those in the user's section `controller` precede the robot's."""
    cls = LAWS[name].parameters
    own = {info.name for info in describe(cls)}
    chosen = {key: value for key, value in section.items() if key in own}
    return build(cls, {**law_defaults(spec, name), **chosen}, section="controller")
