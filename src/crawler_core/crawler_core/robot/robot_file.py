"""Reading of robot files: `load_robot` finds one by name or path, checks it, and applies overrides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from crawler_core.errors import UserError, unknown_name
from crawler_core.files import read_yaml
from crawler_core.parameters import ParameterInfo, check_value
from crawler_core.reality.reality import Reality
from crawler_core.robot.repeat import expand_repeats
from crawler_core.robot.robot_spec import FootSpec, JointSpec, LoopSpec, RobotSpec, SafetySpec, StartSpec, StrideSpec
from crawler_core.robot.schema import (
    FREE_SECTIONS,
    base_motion,
    check_document,
    parameter_info,
    physical_value,
    read_entry,
)
from crawler_core.sensors.sensor_spec import SensorSpec, check_sensor


def robots_directory() -> Path:
    """Return the directory of the installed robots: one directory each, with a robot.yaml."""
    try:
        return Path(get_package_share_directory("crawler_description")) / "robots"
    except PackageNotFoundError:
        raise UserError(
            "the package crawler_description is not on AMENT_PREFIX_PATH: source the workspace's setup file first."
        ) from None


def robot_names() -> tuple[str, ...]:
    """Return the names of the installed robots."""
    return tuple(sorted(path.parent.name for path in robots_directory().glob("*/robot.yaml")))


def default_robot() -> str:
    """Return the robot that robots/default names, for users who name none."""
    return (robots_directory() / "default").read_text().strip()


def load_robot(name: str, overrides: Mapping[str, Any] | None = None) -> RobotSpec:
    """Return the robot `name` (installed, or the path of a robot.yaml; empty: `default_robot`), with `overrides`.

    Raise UserError for a mistake in the name, the file or the overrides.
    """
    name = name or default_robot()
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
    elif name in (known := robot_names()):
        path = robots_directory() / name / "robot.yaml"
    else:
        raise unknown_name("robot", name, known)
    document = read_yaml(path)
    try:
        check_document(document)
        _override(document, overrides or {})
        for section in ("joints", "feet"):
            document[section] = expand_repeats(document[section], document["parameters"], section)
        return _parse(path, document)
    except UserError as error:
        raise error if "robot." in str(error) else UserError(f"{path}: {error}") from None


def parameter_infos(spec: RobotSpec) -> dict[str, ParameterInfo]:
    """Return the robot's physical parameters with their units and bounds."""
    return {name: parameter_info(name, entry) for name, entry in spec.document["parameters"].items()}


def _override(document: dict[str, Any], overrides: Mapping[str, Any]) -> None:
    table = document["parameters"]
    for name, value in overrides.items():
        if name not in table:
            raise unknown_name("parameter", f"robot.{name}", (f"robot.{known}" for known in table))
        table[name]["value"] = check_value(parameter_info(name, table[name]), value, label=f"robot.{name}")


def _parse(path: Path, document: dict[str, Any]) -> RobotSpec:
    base, start = document["base"], document.get("start") or {}
    return RobotSpec(
        name=document["name"],
        title=document["title"],
        directory=path.resolve().parent,
        parameters={
            name: parameter_info(name, entry).type(entry["value"]) for name, entry in document["parameters"].items()
        },
        base_link=base["link"],
        base_motion=base_motion(base["motion"]),
        joints=tuple(_joint(name, entry, document["parameters"]) for name, entry in document["joints"].items()),
        feet=tuple(_foot(name, entry, document["parameters"]) for name, entry in document["feet"].items()),
        safety=SafetySpec(**read_entry(SafetySpec, document["safety"], "safety")),
        sections={key: document.get(key) or {} for key in FREE_SECTIONS},
        document=document,
        equations=document.get("equations", ""),
        loops=tuple(LoopSpec(name, *links) for name, links in (document.get("loops") or {}).items()),
        start=StartSpec(
            height=physical_value(start.get("height", 0.0), document["parameters"], "start.height"),
            **read_entry(StartSpec, start, "start", document["parameters"]),
        ),
        stride=_stride(document.get("stride") or {}, document["feet"], document["parameters"]),
        rate=float(document["rate"]) if "rate" in document else None,
        sensors=tuple(_sensor(name, entry, document) for name, entry in (document.get("sensors") or {}).items()),
        realities={
            profile: Reality(**read_entry(Reality, entry, f"reality.{profile}"))
            for profile, entry in (document.get("reality") or {}).items()
        },
    )


def _sensor(name: str, entry: Mapping[str, Any], document: Mapping[str, Any]) -> SensorSpec:
    values = read_entry(SensorSpec, entry, f"sensors.{name}")
    sensor = SensorSpec(name, **{"link": document["base"]["link"], **values})
    check_sensor(sensor, document["feet"])
    return sensor


def _joint(name: str, entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> JointSpec:
    label = f"joints.{name}"
    values = read_entry(JointSpec, entry, label, parameters)
    if entry.get("continuous"):
        values |= {"lower": -math.inf, "upper": math.inf}
    elif not values["lower"] <= values["home"] <= values["upper"]:
        lower, home, upper = (math.degrees(values[key]) for key in ("lower", "home", "upper"))
        raise UserError(
            f"{label}.home_deg = {home:g} must lie between lower_deg = {lower:g} and upper_deg = {upper:g}."
        )
    damping = physical_value(entry.get("damping", 0.0), parameters, f"{label}.damping")
    return JointSpec(name=name, damping=damping, **values)


def _foot(name: str, entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> FootSpec:
    label = f"feet.{name}"
    friction = math.prod(physical_value(factor, parameters, f"{label}.friction") for factor in entry["friction"])
    stiffness, damping, slip_damping = (
        physical_value(entry[key], parameters, f"{label}.{key}") if key in entry else None
        for key in ("stiffness", "damping", "slip_damping")
    )
    lifts = read_entry(FootSpec, entry, label).get("lifts", False)
    return FootSpec(name, friction, lifts, stiffness or None, damping, slip_damping or None)


def _stride(entry: Mapping[str, Any], feet: Mapping[str, Any], parameters: Mapping[str, Any]) -> StrideSpec:
    min_interval = physical_value(entry.get("min_interval", 0.0), parameters, "stride.min_interval")
    stride = StrideSpec(**read_entry(StrideSpec, entry, "stride"), min_interval=min_interval)
    if (stride.event == "period") == ("foot" in entry):
        raise UserError(
            "stride.foot and stride.event go together: touch_down and lift_off need a foot, period takes none."
        )
    if stride.foot and stride.foot not in feet:
        raise unknown_name("foot for stride.foot", stride.foot, feet)
    return stride
